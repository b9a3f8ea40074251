import type { Writable } from 'node:stream';

/** The streams that are corked in this turn of the event loop. */
let corked: Writable[] = [];

/** Makes one write of all that is written to a stream in this turn of the event loop. */
export function corkForTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  if (corked.push(stream) === 1) setImmediate(uncorkAll);
}

function uncorkAll(): void {
  const streams = corked;
  corked = [];
  for (const stream of streams) stream.uncork();
}
