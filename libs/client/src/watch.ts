import { Buffer } from 'node:buffer';
import { type Status, StatusError, parseJson } from '@annex/machinery';
import type { ClientMessage } from './connections.ts';
import { isLargeText, parseLargeText } from './large-json.ts';

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
        if (isLargeText(line)) yield eventOf(await parseLargeText(line));
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

function eventOf<T>(value: unknown): WatchEvent<T> {
  const event = value as WatchEvent<T> | { type: 'ERROR'; object: Status };
  if (event.type === 'ERROR') throw new StatusError(event.object);
  return event;
}
