import { type ClientHttp2Session, connect, type Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { Unblocked } from './unblocked.ts';
import { connectionWindowBytes, streamWindowBytes } from '../limits.ts';

/** The settings of both sides of an HTTP/2 connection with streams of packets. */
export const sessionSettings = { initialWindowSize: streamWindowBytes, enablePush: false } as const;

/** Lets the streams of a connection together have more on the way than one of them. */
export const widenWindow = (session: Http2Session): void => {
  if (!session.destroyed) session.setLocalWindowSize(connectionWindowBytes);
};

/** Starts HTTP/2 as a client, over a connection that is open or being opened. */
export function connectSession(open: () => Duplex, authority = 'http://localhost'): ClientHttp2Session {
  const session = connect(authority, {
    createConnection: () => new Unblocked(open()),
    settings: sessionSettings,
  });
  session.once('connect', () => widenWindow(session));
  return session;
}
