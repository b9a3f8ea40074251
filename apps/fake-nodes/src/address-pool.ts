import { isIPv4 } from 'node:net';

/** Gives each owner one address of an IPv4 network. Addresses are reused as late as possible. */
export class AddressPool {
  readonly #base: number;
  readonly #size: number;
  readonly #owners = new Map<number, string>();
  readonly #addresses = new Map<string, number>();
  #next = 0;

  /** Throws RangeError if the text is not an IPv4 network with at least two addresses. */
  constructor(cidr: string) {
    const [address = '', bits = ''] = cidr.split('/');
    if (!isIPv4(address) || !/^\d{1,2}$/.test(bits) || Number(bits) > 30 || Number(bits) < 8)
      throw new RangeError(
        `${JSON.stringify(cidr)} is not an IPv4 network of 8 to 30 bits such as 198.18.0.0/16`,
      );
    const all = 2 ** (32 - Number(bits));
    this.#base = numberOf(address) - (numberOf(address) % all) + 1;
    // Neither the address of the network nor that of its broadcasts.
    this.#size = all - 2;
  }

  /** Returns the address of the owner, and gives it one if it has none; `undefined` if all are taken. */
  take(owner: string): string | undefined {
    const known = this.#addresses.get(owner);
    if (known !== undefined) return textOf(this.#base + known);
    if (this.#owners.size >= this.#size) return undefined;
    while (this.#owners.has(this.#next)) this.#next = (this.#next + 1) % this.#size;
    const offset = this.#next;
    this.#next = (this.#next + 1) % this.#size;
    this.#give(offset, owner);
    return textOf(this.#base + offset);
  }

  /** Notes that an owner has an address, which may be of another network. */
  reserve(address: string, owner: string): void {
    if (!isIPv4(address)) return;
    const offset = numberOf(address) - this.#base;
    if (offset < 0 || offset >= this.#size || this.#owners.has(offset)) return;
    this.release(owner);
    this.#give(offset, owner);
  }

  release(owner: string): void {
    const offset = this.#addresses.get(owner);
    if (offset === undefined) return;
    this.#addresses.delete(owner);
    this.#owners.delete(offset);
  }

  #give(offset: number, owner: string): void {
    this.#owners.set(offset, owner);
    this.#addresses.set(owner, offset);
  }
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);

const textOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
