import { Buffer } from 'node:buffer';
import { createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { type DestinationData, pageBytes, purposes } from './destination.ts';

const { counter } = workerData as DestinationData;
const block = Buffer.alloc(64 * 1024, 'x');
const page = Buffer.alloc(pageBytes, 'x');

function send(socket: Socket): void {
  while (!socket.destroyed && socket.write(block));
}

function serve(socket: Socket, first: Buffer): void {
  const purpose = String.fromCharCode(first[0] ?? 0);
  if (purpose === purposes.download) {
    socket.on('drain', () => send(socket));
    send(socket);
  } else if (purpose === purposes.upload) {
    socket.on('data', (chunk: Buffer) => Atomics.add(counter, 0, BigInt(chunk.length)));
  } else {
    socket.write(page);
    socket.on('data', () => socket.write(page));
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (first: Buffer) => serve(socket, first));
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage(server.address()));
