import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

// Listens, and accepts nothing: the kernel takes two connections, and leaves further ones without a response.
const server = createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort?.postMessage(server.address());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
