import { isIPv6 } from 'node:net';

/** An address range in CIDR notation. */
export class IpRange {
  readonly text: string;
  readonly family: 'IPv4' | 'IPv6';
  /** The network address, which is not allocated. */
  readonly #base: bigint;
  readonly #size: bigint;

  /** Throws RangeError if the text is not a CIDR. */
  constructor(cidr: string) {
    const [address = '', bits = ''] = cidr.split('/');
    const base = addressNumber(address);
    this.family = isIPv6(address) ? 'IPv6' : 'IPv4';
    const width = this.family === 'IPv6' ? 128 : 32;
    if (base === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > width) {
      throw new RangeError(`${JSON.stringify(cidr)} is not a range of addresses such as 10.0.0.0/16`);
    }
    this.text = cidr;
    this.#size = 1n << BigInt(width - Number(bits));
    this.#base = base - (base % this.#size);
  }

  /** Number of addresses that can be allocated: all but the network address and, for IPv4, the broadcast address. */
  get size(): bigint {
    return this.#size - (this.family === 'IPv4' ? 2n : 1n);
  }

  /** Returns the address at a position, counted from 1. */
  at(position: bigint): string {
    return addressText(this.#base + position, this.family);
  }

  /** True if an address can be allocated. */
  contains(address: string): boolean {
    const number = addressNumber(address);
    if (number === undefined || isIPv6(address) !== (this.family === 'IPv6')) return false;
    return number > this.#base && number <= this.#base + this.size;
  }
}

/** Returns the value of an address; `undefined` if the text is not an address. */
function addressNumber(text: string): bigint | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split('.').map(BigInt);
    return parts.some((part) => part > 255n) ? undefined : join(parts, 8n);
  }
  return isIPv6(text) && !text.includes('.') ? join(ipv6Parts(text), 16n) : undefined;
}

const join = (parts: bigint[], bits: bigint) => parts.reduce((sum, part) => (sum << bits) | part, 0n);

function ipv6Parts(text: string): bigint[] {
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => BigInt(`0x${group}`)));
  if (tail === undefined) return groups(head);
  const [before, after] = [groups(head), groups(tail)];
  return [...before, ...Array<bigint>(8 - before.length - after.length).fill(0n), ...after];
}

function addressText(number: bigint, family: 'IPv4' | 'IPv6'): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((number >> BigInt(16 * (7 - i))) & 0xffffn).toString(16),
  );
  // URL prints IPv6 addresses in their canonical form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
