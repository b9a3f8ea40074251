import { connect, isIP, type Socket } from 'node:net';
import type { HostPort } from '@annex/runtime';
import { endpointDialTimeoutMs } from '../limits.ts';
import { splitAddress } from './address.ts';
import { connectErrorText, EndpointError } from './endpoint-error.ts';
import type { EndpointRules } from './endpoint-rules.ts';
import { resolveHost } from './resolve-host.ts';

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
  const addresses = await resolveHost(to.host, signal);
  if (isIP(to.host) === 0 && rules.allowsName(to)) return addresses;
  return addresses.filter((host) => rules.allowsAddress({ host, port: to.port }));
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
