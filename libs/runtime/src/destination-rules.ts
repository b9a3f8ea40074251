import { IpNetwork } from './ip-network.ts';

/** A host and a port to connect to. */
export interface HostPort {
  host: string;
  port: number;
}

/** A destination rule of `--allow-destinations`. */
interface Rule {
  /** Undefined for every port. */
  port: number | undefined;
  name?: (host: string) => boolean;
  network?: IpNetwork;
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
  allowsName({ host, port }: HostPort): boolean {
    return this.#rules.some((rule) => fits(rule, port) && rule.name?.(host) === true);
  }

  /** True for an address that a rule has, or whose network a rule has. */
  allowsAddress({ host, port }: HostPort): boolean {
    return this.#rules.some((rule) => fits(rule, port) && rule.network?.has(host) === true);
  }
}

const fits = (rule: Rule, port: number): boolean => rule.port === undefined || rule.port === port;

const domain = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function readRule(text: string): Rule {
  const { host, port } = splitPort(text.toLowerCase());
  const network = IpNetwork.parse(host);
  if (network !== undefined) return { port, network };
  if (!domain.test(host)) throw new Error(`${text} is neither a host, nor an address, nor a network`);
  if (host.startsWith('*.')) return { port, name: (other) => other.endsWith(host.slice(1)) };
  return { port, name: (other) => other === host };
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
