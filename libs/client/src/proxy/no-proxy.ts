import { IpNetwork } from '@annex/runtime';

/** An entry of `NO_PROXY` that names hosts, and one port if it has one. */
interface Entry {
  port: string;
  matches(host: string): boolean;
}

/** The hosts that `NO_PROXY` excludes, by the rules of Go's golang.org/x/net/http/httpproxy. */
export class NoProxy {
  readonly #entries: readonly Entry[];
  readonly #all: boolean;

  constructor(list: string) {
    const texts = list.split(',').map((text) => text.trim().toLowerCase());
    this.#all = texts.includes('*');
    this.#entries = texts.flatMap((text) => readEntry(text) ?? []);
  }

  /** True if requests to the host do not use a proxy. The environment never applies to this machine. */
  excludes(host: string, port: string): boolean {
    if (host === 'localhost' || loopback.some((network) => network?.has(host)) || this.#all) return true;
    return this.#entries.some((entry) => (entry.port === '' || entry.port === port) && entry.matches(host));
  }
}

const loopback = ['127.0.0.0/8', '::1'].map((text) => IpNetwork.parse(text));

function readEntry(text: string): Entry | undefined {
  // A network has no port.
  const { host, port } = text.includes('/') ? { host: text, port: '' } : splitPort(text);
  if (host === '') return undefined;
  const network = IpNetwork.parse(host);
  return { port, matches: network ? (other) => network.has(other) : domainMatcher(host) };
}

/** `example.com` covers itself and its subdomains, `.example.com` and `*.example.com` only its subdomains. */
function domainMatcher(text: string): (host: string) => boolean {
  const name = text.startsWith('*.') ? text.slice(1) : text;
  if (name.startsWith('.')) return (host) => host.endsWith(name);
  return (host) => host === name || host.endsWith(`.${name}`);
}

/** Splits `host:port`; IPv6 addresses with a port are in brackets. */
function splitPort(text: string): { host: string; port: string } {
  const [, bracketed, after = ''] = /^\[([^\]]*)\](?::(\d*))?$/.exec(text) ?? [];
  if (bracketed !== undefined) return { host: bracketed, port: after };
  const colon = text.indexOf(':');
  if (colon < 0 || colon !== text.lastIndexOf(':')) return { host: text, port: '' };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}
