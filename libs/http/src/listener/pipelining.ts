import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from './http-message.ts';
import { Http2Response } from './http2-response.ts';

/**
 * Requests on one HTTP/1.1 connection that wait for earlier ones, besides those of the TLS record that is read (at most 16 KiB). The connection
 * is not read before one of them begins, which also hides that the client disconnected.
 */
export const maxWaitingRequests = 16;

/** Waiting requests per connection, for connections on which a request ever waited. */
const waiting = new WeakMap<Socket, number>();

/**
 * Starts the requests of one HTTP/1.1 connection in order, each when the response to the previous one is
 * complete, like Go's server. Node parses and emits everything that it has read, so otherwise a DELETE could
 * overtake the POST before it.
 */
export function beginInOrder(req: HttpRequest, res: Http2Response | ServerResponse, begin: () => void): void {
  // A response without a socket has another one before it on its connection. HTTP/2 has streams instead.
  const { socket } = req;
  if (res instanceof Http2Response || res.socket !== null || socket === undefined) return begin();
  const before = waiting.get(socket);
  if (before === undefined) socket.on('resume', () => pauseWhileMany(socket));
  waiting.set(socket, (before ?? 0) + 1);
  pauseWhileMany(socket);
  res.once('socket', () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === maxWaitingRequests - 1) socket.resume();
    begin();
  });
}

/** Reading a request resumes its connection. The event pauses a socket again that must stay paused. */
function pauseWhileMany(socket: Socket): void {
  if ((waiting.get(socket) ?? 0) < maxWaitingRequests) return;
  socket.pause();
  socket.emit('pause');
}
