import { type ClientHttp2Session, connect, type Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { FramedConnection } from '../frames/framed-connection.ts';
import { connectionWindowBytes, maxFrameBytes, streamWindowBytes } from '../limits.ts';

/** The settings of both sides of an HTTP/2 connection with streams of packets. */
export const sessionSettings = {
  initialWindowSize: streamWindowBytes,
  maxFrameSize: maxFrameBytes,
  enablePush: false,
} as const;

/** Lets the streams of a connection together have more on the way than one of them. */
export const widenWindow = (session: Http2Session): void => {
  if (!session.destroyed) session.setLocalWindowSize(connectionWindowBytes);
};

const connections = new WeakMap<Http2Session, FramedConnection>();

/** Remembers the connection of a session. */
export const joinConnection = (session: Http2Session, connection: FramedConnection): void =>
  void connections.set(session, connection);

/** Returns the connection of a session that this package created. */
export function connectionOf(session: Http2Session | undefined): FramedConnection {
  const connection = session && connections.get(session);
  if (connection === undefined) throw new Error('the session was closed, or has no connection with frames');
  return connection;
}

/** Starts HTTP/2 as a client, over a connection that is open or being opened. */
export function connectSession(open: () => Duplex, authority = 'http://localhost'): ClientHttp2Session {
  const connection = new FramedConnection(open(), 'client');
  const session = connect(authority, { createConnection: () => connection, settings: sessionSettings });
  joinConnection(session, connection);
  session.once('connect', () => widenWindow(session));
  return session;
}
