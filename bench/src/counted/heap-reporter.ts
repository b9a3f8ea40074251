import { subscribe } from 'node:diagnostics_channel';
import { getHeapStatistics } from 'node:v8';

// Is loaded into the server that is counted, before its program. At each SIGUSR2 it prints the size of the heap, collects the garbage, and
// prints the size that remains. It allocates as many bytes as the header `x-waste` of a request names: an injected regression.

let reports = 0;

process.on('SIGUSR2', () => {
  const before = getHeapStatistics().used_heap_size;
  globalThis.gc?.();
  process.stdout.write(`heap ${++reports}: ${before} ${getHeapStatistics().used_heap_size}\n`);
});

const bytesOfElement = 8;

subscribe('http2.server.stream.start', (message) => {
  const { headers } = message as { headers: Record<string, string | undefined> };
  const waste = Number(headers['x-waste'] ?? 0);
  if (waste > 0) void new Array<unknown>(Math.round(waste / bytesOfElement));
});
