import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests on one HTTP/1.1 connection that wait for those before them. A client that sends more loses its connection. */
export const maxPipelinedRequests = 1000;

/** So many may wait before nothing more is read from their connection, which also hides that the client is gone. */
const readAhead = 16;

/** How many requests wait on a connection; for those on which one ever waited. */
const waiting = new WeakMap<Socket, number>();

/**
 * Begins the requests of one HTTP/1.1 connection in the order of their arrival, each when the response to the one before is
 * complete, as Go's server does. Node parses and announces whatever it has read at once, so a client could otherwise have a DELETE
 * overtake the POST before it.
 */
export function beginInOrder(req: IncomingMessage, res: ServerResponse, begin: () => void): void {
  // A response without a socket has another one before it on its connection. HTTP/2 has streams instead.
  if (req.httpVersionMajor !== 1 || res.socket !== null) return begin();
  const { socket } = req;
  const before = waiting.get(socket);
  if (before === undefined) socket.on('resume', () => pauseWhileMany(socket));
  const count = (before ?? 0) + 1;
  if (count > maxPipelinedRequests) return void socket.destroy();
  waiting.set(socket, count);
  pauseWhileMany(socket);
  res.once('socket', () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === readAhead - 1) socket.resume();
    begin();
  });
}

/** Whoever reads a request resumes its connection. The event stops a socket that resumes although it is paused by now. */
function pauseWhileMany(socket: Socket): void {
  if ((waiting.get(socket) ?? 0) < readAhead) return;
  socket.pause();
  socket.emit('pause');
}
