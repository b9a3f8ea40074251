import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { finishInSlices, type Status, StatusError, parseJson, parseJsonInPasses } from '@annex/machinery';
import type { ClientMessage } from './connections.ts';

/** One event of a watch. */
export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

/** Query parameters of a watch, under their names in the API, and its end. */
export interface WatchOptions {
  resourceVersion?: string;
  resourceVersionMatch?: string;
  allowWatchBookmarks?: boolean;
  sendInitialEvents?: boolean;
  labelSelector?: string;
  fieldSelector?: string;
  timeoutSeconds?: number;
  /** The requested representation; JSON by default. */
  accept?: string;
  /** Ends the watch without an error. */
  signal?: AbortSignal;
  /** Bytes of the longest event. Default 16 MiB. */
  maxLineBytes?: number;
}

const newline = 0x0a;
/** Events of more characters are decoded in slices of so many milliseconds. */
const [largeEventLength, sliceMs] = [128 * 1024, 4];
/** Bytes of one event of a watch. */
export const maxWatchEventBytes = 16 * 1024 * 1024;

/** Reads the events of a watch. An event that is not JSON ends it with an error; no event is dropped. */
export async function* readEvents<T>(
  message: ClientMessage,
  maxLineBytes = maxWatchEventBytes,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  let rest: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const line = Buffer.concat([...rest, chunk.subarray(start, end)]).toString();
        [rest, length, start] = [[], 0, end + 1];
        if (line.length > largeEventLength) yield await decodeLargeEvent<T>(line);
        else if (line !== '') yield decodeEvent<T>(line);
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > maxLineBytes) throw new Error(`an event is larger than ${maxLineBytes} bytes`);
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  } finally {
    message.destroy();
  }
}

const decodeEvent = <T>(line: string): WatchEvent<T> => eventOf(parseJson(line));

/** Decodes in passes, between which the process does other work. */
async function decodeLargeEvent<T>(line: string): Promise<WatchEvent<T>> {
  let began = performance.now();
  const nextSlice = async (): Promise<void> => {
    await setImmediate();
    began = performance.now();
  };
  const pause = () => (performance.now() - began < sliceMs ? undefined : nextSlice());
  return eventOf(await finishInSlices(parseJsonInPasses(line), pause));
}

function eventOf<T>(value: unknown): WatchEvent<T> {
  const event = value as WatchEvent<T> | { type: 'ERROR'; object: Status };
  if (event.type === 'ERROR') throw new StatusError(event.object);
  return event;
}
