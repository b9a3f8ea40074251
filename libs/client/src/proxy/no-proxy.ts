import { BlockList, isIP } from 'node:net';

/** An entry of `NO_PROXY` that names hosts, and one port if it has one. */
interface Entry {
  port: string;
  matches(host: string): boolean;
}

/** The hosts that `NO_PROXY` excludes, by the rules of Go's golang.org/x/net/http/httpproxy. */
export class NoProxy {
  readonly #entries: Entry[] = [];
  readonly #networks = new BlockList();
  readonly #all: boolean;

  constructor(list: string) {
    const texts = list.split(',').map((text) => text.trim().toLowerCase());
    this.#all = texts.includes('*');
    for (const text of texts) this.#add(text);
  }

  /** True if requests to the host do not use a proxy. The environment never applies to this machine. */
  excludes(host: string, port: string): boolean {
    if (host === 'localhost' || isLoopback(host) || this.#all) return true;
    const family = isIP(host);
    if (family !== 0 && this.#networks.check(host, family === 6 ? 'ipv6' : 'ipv4')) return true;
    return this.#entries.some((entry) => (entry.port === '' || entry.port === port) && entry.matches(host));
  }

  #add(text: string): void {
    if (text === '' || this.#addNetwork(text)) return;
    const { host, port } = splitPort(text);
    if (host === '') return;
    if (isIP(host) !== 0) this.#entries.push({ port, matches: (other) => isSameAddress(other, host) });
    else this.#entries.push({ port, matches: domainMatcher(host) });
  }

  #addNetwork(text: string): boolean {
    const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 6 ? 128 : 32)) return false;
    this.#networks.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
    return true;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** `example.com` covers itself and its subdomains, `.example.com` and `*.example.com` only its subdomains. */
function domainMatcher(text: string): (host: string) => boolean {
  const name = text.startsWith('*.') ? text.slice(1) : text;
  if (name.startsWith('.')) return (host) => host.endsWith(name);
  return (host) => host === name || host.endsWith(`.${name}`);
}

function isSameAddress(a: string, b: string): boolean {
  const family = isIP(a);
  if (family === 0 || family !== isIP(b)) return false;
  const one = new BlockList();
  one.addAddress(b, family === 6 ? 'ipv6' : 'ipv4');
  return one.check(a, family === 6 ? 'ipv6' : 'ipv4');
}

/** Splits `host:port`; IPv6 addresses with a port are in brackets. */
function splitPort(text: string): { host: string; port: string } {
  const [, bracketed, after = ''] = /^\[([^\]]*)\](?::(\d*))?$/.exec(text) ?? [];
  if (bracketed !== undefined) return { host: bracketed, port: after };
  const colon = text.indexOf(':');
  if (colon < 0 || colon !== text.lastIndexOf(':')) return { host: text, port: '' };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) };
}
