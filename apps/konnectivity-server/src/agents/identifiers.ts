import { isIP } from 'node:net';
import { IpNetwork } from '@annex/runtime';
import { queryProblem } from '@annex/tunnel';

/** What an agent says that it can reach: its header `agentidentifiers`. */
export class Identifiers {
  readonly #hosts: ReadonlySet<string>;
  readonly #networks: readonly IpNetwork[];
  readonly isDefaultRoute: boolean;

  /** Reads a URL query with `ipv4`, `ipv6`, `host`, `cidr` and `default-route`. Throws for one that Go cannot read. */
  constructor(text: string) {
    const problem = queryProblem(text);
    if (problem !== undefined) throw new Error(`fail to parse url encoded string: ${problem}`);
    const query = new URLSearchParams(text);
    const addresses = [...query.getAll('ipv4'), ...query.getAll('ipv6')];
    this.#hosts = new Set([...query.getAll('host'), ...addresses].map((host) => host.toLowerCase()));
    this.#networks = [...query.getAll('cidr'), ...addresses].flatMap((text) => IpNetwork.parse(text) ?? []);
    this.isDefaultRoute = query.getAll('default-route').includes('true');
  }

  /** The agent names the host of a destination, or its network. Host names have no case. */
  includes(host: string): boolean {
    if (isIP(host) === 0) return this.#hosts.has(host.toLowerCase());
    return this.#networks.some((network) => network.has(host));
  }

  /** How many identifiers name destinations. */
  get count(): number {
    return this.#hosts.size;
  }
}

/** The host of an address `host:port`, without the brackets of IPv6. */
export function hostOfAddress(address: string): string {
  const colon = address.lastIndexOf(':');
  const host = colon < 0 ? address : address.slice(0, colon);
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
