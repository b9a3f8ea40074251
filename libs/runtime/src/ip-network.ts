import { BlockList, isIP } from 'node:net';

/** The addresses of a network, or one address. */
export class IpNetwork {
  readonly #list = new BlockList();

  private constructor(address: string, bits: number, family: 'ipv4' | 'ipv6') {
    this.#list.addSubnet(address, bits, family);
  }

  /** Reads `ADDRESS` or `ADDRESS/BITS`; undefined for other texts. */
  static parse(text: string): IpNetwork | undefined {
    const [address = '', bits, ...more] = text.split('/');
    const family = isIP(address);
    if (family === 0 || more.length > 0) return undefined;
    const all = family === 6 ? 128 : 32;
    if (bits === undefined) return new IpNetwork(address, all, `ipv${family as 4 | 6}`);
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > all) return undefined;
    return new IpNetwork(address, Number(bits), `ipv${family as 4 | 6}`);
  }

  /** False for texts that are no addresses. */
  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, `ipv${family as 4 | 6}`);
  }
}
