import { BlockList, isIP } from 'node:net';
import type { Destination } from './messages.ts';

/** A destination rule of `--allow-destinations`. */
interface Rule {
  /** Undefined for every port. */
  port: number | undefined;
  name?: (host: string) => boolean;
  network?: BlockList;
}

/** The destinations that clients may connect to. Everything else is refused. */
export class DestinationRules {
  readonly #rules: readonly Rule[];

  /**
   * Rules are host names, `*.` and a domain for its subdomains, addresses, or networks such as `10.0.0.0/8`; each with `:PORT`, or
   * for every port. An IPv6 address with a port is in brackets. Throws for other texts.
   */
  constructor(rules: readonly string[]) {
    this.#rules = rules.map(readRule);
  }

  /** True for a name that a rule has. Whoever resolves it decides about the address. */
  allowsName({ host, port }: Destination): boolean {
    return this.#rules.some((rule) => fits(rule, port) && rule.name?.(host) === true);
  }

  /** True for an address that a rule has, or whose network a rule has. */
  allowsAddress({ host, port }: Destination): boolean {
    const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
    return this.#rules.some((rule) => fits(rule, port) && rule.network?.check(host, family) === true);
  }
}

const fits = (rule: Rule, port: number): boolean => rule.port === undefined || rule.port === port;

const domain = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function readRule(text: string): Rule {
  const { host, port } = splitPort(text.toLowerCase());
  const network = readNetwork(host);
  if (network !== undefined) return { port, network };
  if (!domain.test(host)) throw new Error(`${text} is neither a host, nor an address, nor a network`);
  if (host.startsWith('*.')) return { port, name: (other) => other.endsWith(host.slice(1)) };
  return { port, name: (other) => other === host };
}

/** Returns the network of `ADDRESS/BITS`, or that of one address. */
function readNetwork(text: string): BlockList | undefined {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return undefined;
  const all = family === 6 ? 128 : 32;
  const length = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (length < 0 || length > all) return undefined;
  const list = new BlockList();
  list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  return list;
}

function splitPort(text: string): { host: string; port: number | undefined } {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon);
  const isBracketed = text.startsWith('[');
  // Without brackets, a second colon is part of an IPv6 address.
  const hasPort = colon > 0 && (isBracketed ? host.endsWith(']') : !host.includes(':'));
  if (!hasPort)
    return { host: isBracketed && text.endsWith(']') ? text.slice(1, -1) : text, port: undefined };
  const port = Number(text.slice(colon + 1));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${text} has an invalid port`);
  return { host: isBracketed ? host.slice(1, -1) : host, port };
}
