import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { HostPort } from '@annex/runtime';
import { endpointDialTimeoutMs } from '../limits.ts';
import { splitAddress } from './address.ts';
import { connectErrorText, EndpointError } from './endpoint-error.ts';
import type { EndpointRules } from './endpoint-rules.ts';

/** Connects to an address if the rules allow it, and aborts the dial if that takes too long. Rejects with EndpointError. */
export async function connectEndpoint(
  protocol: string,
  address: string,
  rules: EndpointRules,
  dial: AbortController,
): Promise<Socket> {
  if (protocol !== 'tcp') throw new EndpointError(unsupported(protocol));
  const to = splitAddress(address);
  const timer = setTimeout(() => dial.abort(), endpointDialTimeoutMs);
  try {
    return await connectAny(to, address, rules, dial.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Connects to the first address of a host that accepts. */
async function connectAny(
  to: HostPort,
  address: string,
  rules: EndpointRules,
  signal: AbortSignal,
): Promise<Socket> {
  let failure: EndpointError | undefined;
  for (const host of await allowedHosts(to, rules, signal)) {
    try {
      return await connected({ host, port: to.port }, signal);
    } catch (error) {
      failure = error as EndpointError;
    }
  }
  throw (
    failure ?? new EndpointError(`dial tcp ${address}: --allow-destinations of the agent does not allow it`)
  );
}

const unsupported = (protocol: string): string =>
  protocol === '' ? 'dial: unknown network ' : `dial ${protocol}: the agent connects by tcp only`;

/** The addresses of a host that the rules allow; all of them, if they allow the name. */
async function allowedHosts(to: HostPort, rules: EndpointRules, signal: AbortSignal): Promise<string[]> {
  const isName = isIP(to.host) === 0;
  const addresses = isName ? await resolve(to, signal) : [to.host];
  if (isName && rules.allowsName(to)) return addresses;
  return addresses.filter((host) => rules.allowsAddress({ host, port: to.port }));
}

async function resolve({ host }: HostPort, signal: AbortSignal): Promise<string[]> {
  const late = once(signal, 'abort').then(() => {
    throw new EndpointError(`dial tcp: lookup ${host}: i/o timeout`, 'timeout');
  });
  return (await Promise.race([addressesOf(host), late as Promise<never>])).map(({ address }) => address);
}

/** A name that is none, such as one with a NUL, throws instead of rejecting. */
async function addressesOf(host: string) {
  try {
    return await lookup(host, { all: true });
  } catch {
    throw new EndpointError(`dial tcp: lookup ${host} on ${nameServer()}: no such host`);
  }
}

function nameServer(): string {
  const [server = ''] = getServers();
  return /:\d+$/.test(server) && isIP(server) === 0
    ? server
    : `${isIP(server) === 6 ? `[${server}]` : server}:53`;
}

function connected(to: HostPort, signal: AbortSignal): Promise<Socket> {
  const at = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
  const socket = connect({ ...to, allowHalfOpen: true, noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const fail = (error: EndpointError): void => {
    signal.removeEventListener('abort', late);
    socket.on('error', () => undefined).destroy();
    reject(error);
  };
  const late = (): void => fail(new EndpointError(`dial tcp ${at}: i/o timeout`, 'timeout'));
  const refused = (error: NodeJS.ErrnoException): void =>
    fail(new EndpointError(connectErrorText(error, at)));
  signal.addEventListener('abort', late, { once: true });
  socket.once('error', refused);
  socket.once('connect', () => {
    signal.removeEventListener('abort', late);
    socket.off('error', refused);
    resolve(socket);
  });
  if (signal.aborted) late();
  return promise;
}
