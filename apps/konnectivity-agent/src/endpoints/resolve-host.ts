import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { EndpointError } from './endpoint-error.ts';

/** Resolves a host to its addresses. An address is its own. Rejects with EndpointError, with Go's texts. */
export async function resolveHost(host: string, signal: AbortSignal): Promise<string[]> {
  const family = isIP(host);
  if (family !== 0) return [family === 6 ? unmapped(host) : host];
  // Go would connect to this machine.
  if (host === '') return [];
  if (!isDomainName(host)) throw new EndpointError(`dial tcp: lookup ${host}: no such host`);
  const late = once(signal, 'abort').then(() => {
    throw new EndpointError(`dial tcp: lookup ${host}: i/o timeout`, 'timeout');
  });
  return (await Promise.race([addressesOf(host), late as Promise<never>])).map(({ address }) => address);
}

/** Returns the IPv4 address that an IPv6 address contains, or the address itself. */
function unmapped(address: string): string {
  if (address.includes('%')) return address;
  // URLs have one notation of each address. In it, the IPv4 address is two numbers of 16 bits.
  const { hostname } = new URL(`http://[${address}]`);
  const numbers = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname)?.slice(1) ?? [];
  if (numbers.length === 0) return address;
  return numbers
    .flatMap((text) => [Number.parseInt(text, 16) >> 8, Number.parseInt(text, 16) & 0xff])
    .join('.');
}

const longestName = 254;
const longestLabel = 63;
const label = /^[a-z0-9_-]+$/i;

/** Whether Go looks a name up: it needs a character that is no digit, so that `127.1` is none. */
function isDomainName(name: string): boolean {
  const labels = (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  if (name.length > longestName || (name.length === longestName && !name.endsWith('.'))) return false;
  return /[a-z_-]/i.test(name) && labels.every(isLabel);
}

const isLabel = (text: string): boolean =>
  text.length <= longestLabel && label.test(text) && !text.startsWith('-') && !text.endsWith('-');

/** The C library reads a name of such parts as an IPv4 address. */
const numeric = /^(?:0x[0-9a-f]*|\d+)$/i;

async function addressesOf(host: string) {
  try {
    if (!host.split('.').every((part) => numeric.test(part))) return await lookup(host, { all: true });
  } catch {
    // As below.
  }
  throw new EndpointError(`dial tcp: lookup ${host} on ${nameServer()}: no such host`);
}

function nameServer(): string {
  const [server = ''] = getServers();
  return /:\d+$/.test(server) && isIP(server) === 0
    ? server
    : `${isIP(server) === 6 ? `[${server}]` : server}:53`;
}
