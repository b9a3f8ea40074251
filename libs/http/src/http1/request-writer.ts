import type { Readable, Writable } from 'node:stream';
import { goQuote } from '@annex/machinery';

/** The head of a request. */
export interface RequestHead {
  method: string;
  /** Encoded path and query. */
  path: string;
  /** Names and values by turns. */
  headers: readonly string[];
}

// RFC 9110 section 5.5; what Go's net/http takes for a value.
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/;
const invalidName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** The bytes of a head, as latin1. Throws with the words of Go's net/http where a header cannot be sent. */
export function encodeRequestHead({ method, path, headers }: RequestHead, host: string): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    const value = headers[i + 1] as string;
    if (invalidName.test(name)) throw new Error(`net/http: invalid header field name ${goQuote(name)}`);
    if (invalidValue.test(value))
      throw new Error(`net/http: invalid header field value for ${goQuote(name)}`);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

/**
 * Writes a body after its head, in chunks where its length was not said, no faster than the backend reads it. `onEnd` is
 * told when all of it is written, or why it is not. Returns what stops it.
 */
export function writeBody(
  body: Readable,
  to: Writable,
  chunked: boolean,
  onEnd: (error?: Error) => void,
): () => void {
  const goOn = () => void body.resume();
  const onData = (data: Buffer) => {
    if (data.length === 0) return;
    if (chunked) to.cork();
    if (chunked) to.write(`${data.length.toString(16)}\r\n`, 'latin1');
    let more = to.write(data);
    if (chunked) more = to.write('\r\n', 'latin1');
    if (chunked) to.uncork();
    if (more) return;
    body.pause();
    to.once('drain', goOn);
  };
  const onBodyEnd = () => {
    if (chunked) to.write('0\r\n\r\n', 'latin1');
    finish();
  };
  const onError = (error: Error) => finish(error);
  const onClose = () => finish(new Error('the client broke its request off'));
  const stop = () => {
    body.off('data', onData).off('end', onBodyEnd).off('error', onError).off('close', onClose);
    to.off('drain', goOn);
  };
  const finish = (error?: Error) => {
    stop();
    onEnd(error);
  };
  body.on('data', onData).on('end', onBodyEnd).on('error', onError).on('close', onClose);
  return stop;
}
