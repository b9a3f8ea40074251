import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** The connections of a server: who is there, who is gone without a word, and how they end. */
export interface Connections {
  /** The connection under a TLS socket. */
  under(socket: Socket): Socket | undefined;
  /** Accepts no more, lets requests end, and cuts off what is left after the grace time. */
  close(graceMs: number): Promise<void>;
}

/** When a connection whose client says nothing more is taken to be lost. */
export interface LivenessTimes {
  /** HTTP/2 connections are asked so often whether somebody is there; others are asked by TCP after so long a silence. */
  askMs: number;
  /** Who does not answer for so long is cut off. */
  answerMs: number;
}

/** Those of client-go for the other direction. */
const clientGo: LivenessTimes = { askMs: 30_000, answerMs: 15_000 };

/** Follows the connections of a server. */
export function trackConnections(server: Http2SecureServer, times: LivenessTimes = clientGo): Connections {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, times.askMs);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const asking = setInterval(() => {
    for (const session of sessions) ask(session, times.answerMs);
  }, times.askMs).unref();
  return {
    under: ({ remoteAddress, remotePort }) =>
      [...sockets].find(
        (socket) => socket.remotePort === remotePort && socket.remoteAddress === remoteAddress,
      ),
    close(graceMs) {
      clearInterval(asking);
      return close(server, sockets, sessions, graceMs);
    },
  };
}

/** A client whose machine or network is gone holds its watches for hours otherwise: TCP alone notices only who is sent to. */
function ask(session: ServerHttp2Session, answerMs: number): void {
  // One that is just ending has not said so yet.
  if (session.destroyed) return;
  let answered = false;
  const lost = () => {
    if (!answered) session.destroy();
  };
  // After a time in which this process was stopped, the answer is already there and only has to be read.
  const timer = setTimeout(() => setImmediate(lost), answerMs).unref();
  session.ping(() => {
    answered = true;
    clearTimeout(timer);
  });
}

/** How often a server that stops looks for connections that became idle. */
const sweepMs = 10;

function close(
  server: Http2SecureServer,
  sockets: ReadonlySet<Socket>,
  sessions: ReadonlySet<ServerHttp2Session>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    // Idle HTTP/1.1 connections would hold the server until their clients let go, also those that are idle from now on.
    const { closeIdleConnections } = server as unknown as { closeIdleConnections(): void };
    const sweep = setInterval(() => closeIdleConnections.call(server), sweepMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    for (const session of sessions) session.close();
  });
}
