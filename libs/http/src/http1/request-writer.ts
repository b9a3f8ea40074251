import type { Readable, Writable } from 'node:stream';
import { goQuote } from '@annex/machinery';

/** The head of a request. */
export interface RequestHead {
  method: string;
  /** Encoded path and query. */
  path: string;
  /** Alternating names and values. */
  headers: readonly string[];
}

// RFC 9110 section 5.5; the values that Go's net/http accepts.
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/;
const invalidName = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Encodes a head as latin1. Throws the message of Go's net/http if a header is invalid. */
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
 * Writes a body after its head, in chunks if its length is unknown, at the speed of the backend. Calls
 * `onEnd` when the body is written, or with the error. Returns the function that stops it.
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
  const onClose = () => finish(new Error('the client aborted its request'));
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
