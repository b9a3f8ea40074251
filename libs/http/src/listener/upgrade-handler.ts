import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeHttp } from '@annex/runtime';
import type { Connections } from './connections.ts';
import type { ListenerOptions } from './listener.ts';
import { announcesBody } from './request-body.ts';

/**
 * Takes `upgrade` events of a listener through the same steps as every request: authenticated, authorized, routed. What
 * no backend takes over is answered like any other request, and the connection closed.
 */
export function upgradeHandler<C>(
  { createContext, run }: Pick<ListenerOptions<C>, 'createContext' | 'run'>,
  now: () => number,
  stopping: AbortSignal,
  connections: Pick<Connections, 'of'>,
): (req: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (req, socket, head) => {
    // A reset by the client needs no answer.
    socket.on('error', () => socket.destroy());
    // Node hands the connection over while the response to an earlier request is still written to it.
    if (isWrittenTo(socket)) return void socket.destroy();
    const res = new nodeHttp.ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket as Socket);
    res.once('finish', () => endSoon(socket));
    // Node hands the connection over without having read a body: whoever waited for it would wait forever.
    if (announcesBody(req)) return void res.writeHead(400, plainText).end(noBody);
    if (head.length > 0) socket.unshift(head);
    run(createContext(req, res, now(), stopping, connections.of(req))).catch(() => socket.destroy());
  };
}

/** Time for a client to close a connection whose change of protocol was refused, in milliseconds. */
const closeMs = 1000;

function endSoon(socket: Duplex): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), closeMs);
  socket.once('close', () => clearTimeout(timer));
}

/** True while a response is not complete; `assignSocket` throws then, which nobody could catch. */
const isWrittenTo = (socket: Duplex & { _httpMessage?: unknown }): boolean => Boolean(socket._httpMessage);

const noBody = '400 Bad Request: a request to change the protocol cannot have a body';
const plainText = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': noBody.length };
