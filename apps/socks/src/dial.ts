import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { DestinationRules } from '@annex/runtime';
import { type Destination, type Reply, replies, SocksError } from './messages.ts';

/** Connects to a destination if a rule allows it. Rejects with {@link SocksError}. */
export async function dial(to: Destination, rules: DestinationRules, signal: AbortSignal): Promise<Socket> {
  const hosts = await Promise.race([allowedHosts(to, rules), expired(signal)]);
  let failure: unknown;
  for (const host of hosts) {
    try {
      return await connected({ host, port: to.port }, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw new SocksError((failure as Error).message, replyOf(failure));
}

/** Rejects when the signal aborts: the system's lookup of a name cannot be ended. */
async function expired(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new SocksError('the name is not resolved in time', replies.timedOut);
}

/** What to connect to: the name itself if a rule has it, else those of its addresses that a rule has. */
async function allowedHosts(to: Destination, rules: DestinationRules): Promise<string[]> {
  const isAddress = isIP(to.host) !== 0;
  if (!isAddress && rules.allowsName(to)) return [to.host];
  const addresses = isAddress ? [to.host] : await addressesOf(to.host);
  const allowed = addresses.filter((host) => rules.allowsAddress({ host, port: to.port }));
  if (allowed.length === 0) throw new SocksError('no rule allows the destination', replies.notAllowed);
  return allowed;
}

/** A name that cannot be resolved is refused like one that is not allowed: clients do not learn which names exist. */
async function addressesOf(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

async function connected({ host, port }: Destination, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

const codes = new Map<string, Reply>([
  ['ECONNREFUSED', replies.refused],
  ['ENETUNREACH', replies.networkUnreachable],
  ['EHOSTUNREACH', replies.hostUnreachable],
  ['ENOTFOUND', replies.hostUnreachable],
  ['EAI_AGAIN', replies.hostUnreachable],
  ['ETIMEDOUT', replies.timedOut],
  ['ABORT_ERR', replies.timedOut],
]);

const replyOf = (error: unknown): Reply =>
  codes.get((error as NodeJS.ErrnoException).code ?? '') ?? replies.failed;
