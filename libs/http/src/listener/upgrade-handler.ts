import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeHttp } from '@annex/runtime';
import type { Connections } from './connections.ts';
import { announcesBody } from './request-body.ts';
import type { RequestRunner } from './request-runner.ts';
import { hasTooManyLines, refuseHead } from './too-many-lines.ts';

/**
 * Runs `upgrade` events of a listener through the same steps as every request: authentication, authorization,
 * routing. If no backend takes over the connection, it sends an ordinary response and closes the connection.
 */
export function upgradeHandler<C>(
  { createContext, run }: RequestRunner<C>,
  now: () => number,
  stopping: AbortSignal,
  connections: Pick<Connections, 'of'>,
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    // A reset by the client needs no response.
    socket.on('error', () => socket.destroy());
    // Node passes the connection while the response to an earlier request is still being written to it.
    if (isWrittenTo(socket)) return void socket.destroy();
    const res = new nodeHttp.ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket as Socket);
    res.once('finish', () => endSoon(socket));
    if (hasTooManyLines(req)) return refuseHead(req, res);
    // Node passes the connection without reading a body, so reading it would never end.
    if (announcesBody(req)) return void res.writeHead(400, plainText).end(noBody);
    if (head.length > 0) socket.unshift(head);
    run(createContext(req, res, now(), stopping, connections.of(req, res))).catch(() => socket.destroy());
  };
}

/** Milliseconds for a client to close a connection whose upgrade was refused. */
const closeMs = 1000;

function endSoon(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), closeMs);
  socket.once('close', () => clearTimeout(timer));
}

/** True while a response is incomplete; `assignSocket` would throw an uncaught error then. */
const isWrittenTo = (socket: Duplex & { _httpMessage?: unknown }): boolean => Boolean(socket._httpMessage);

const noBody = '400 Bad Request: a request to change the protocol cannot have a body';
const plainText = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': noBody.length };
