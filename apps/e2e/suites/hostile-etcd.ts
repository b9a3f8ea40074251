import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createMemoryStore, startEtcdServer, type Store } from '@annex/storage';

/** What the server does with a call instead of serving it. */
export type EtcdAttack = (stream: ServerHttp2Stream) => void;

/** An etcd that serves calls, until a test sets an attack. */
export interface HostileEtcd extends AsyncDisposable {
  readonly url: string;
  /** Keys and values, which a test may change without Annex. */
  readonly store: Store;
  /** Ends all connections, and responds to calls with the attack, or serves them again. */
  set(attack: EtcdAttack | undefined): void;
  /** The number of calls that were attacked. */
  attacked(): number;
}

/** Starts an etcd over a store in memory, behind a relay that attacks. */
export async function startHostileEtcd(): Promise<HostileEtcd> {
  const store = createMemoryStore();
  const etcd = await startEtcdServer(store, { listen: ['http://127.0.0.1:0'] });
  const relay = createServer();
  const sessions = new Set<ServerHttp2Session>();
  let upstream: ClientHttp2Session | undefined;
  let attack: EtcdAttack | undefined;
  let attacked = 0;
  const serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    if (upstream === undefined || upstream.destroyed) upstream = openUpstream(etcd.urls[0]!);
    passOn(stream, headers, upstream);
  };
  relay.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
  });
  relay.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (attack === undefined) return serve(stream, headers);
    attacked += 1;
    attack(stream);
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const disconnect = () => {
    for (const session of sessions) session.destroy();
    upstream?.destroy();
  };
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    store,
    set(next) {
      attack = next;
      disconnect();
    },
    attacked: () => attacked,
    async [Symbol.asyncDispose]() {
      disconnect();
      relay.close();
      await etcd.stop();
      await store.close();
    },
  };
}

function openUpstream(url: string): ClientHttp2Session {
  const session = connect(url);
  // Watches of eight processes are open at once.
  session.on('error', () => undefined).setMaxListeners(0);
  return session;
}

/** Passes a call on to etcd, and its response back. */
function passOn(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: ClientHttp2Session): void {
  const call = upstream.request(headers);
  const end = () => {
    call.destroy();
    stream.destroy();
  };
  let trailers: IncomingHttpHeaders = {};
  call.on('error', end).on('aborted', end);
  stream.on('aborted', end).on('close', () => call.destroy());
  call.on('trailers', (sent) => void (trailers = sent));
  call.on('response', (response, flags) => {
    const endStream = (flags & 1) === 1;
    if (stream.destroyed) return;
    stream.respond(response, { waitForTrailers: !endStream, endStream });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    if (!endStream) call.pipe(stream);
  });
  stream.pipe(call);
}
