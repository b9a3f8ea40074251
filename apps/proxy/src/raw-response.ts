import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { nodeHttp } from '@annex/runtime';
import type { PlainResponse } from './plain-response.ts';

/** Writes a response to a connection that is no longer one of the HTTP server, and ends it. */
export function writePlain(socket: Duplex, { body, headers, status, statusText }: PlainResponse): void {
  if (socket.destroyed || !socket.writable) return;
  const lines = Object.entries({
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  socket.end(
    head(
      status,
      statusText ?? nodeHttp.STATUS_CODES[status] ?? '',
      lines.map(([name, value]) => `${name}: ${String(value)}`),
    ) + body,
  );
}

/** Writes the head of a received response. Its body, if there is one, ends with the connection. */
export function writeResponse(
  socket: Duplex,
  { rawHeaders, statusCode = 0, statusMessage = '' }: IncomingMessage,
  replaced: Readonly<Record<string, string>> = {},
): void {
  const names = new Set([
    ...Object.keys(replaced),
    ...(statusCode === 101 ? [] : ['transfer-encoding', 'keep-alive']),
  ]);
  const lines = rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && !names.has(name.toLowerCase()) ? [`${name}: ${all[index + 1] ?? ''}`] : [],
  );
  const own = Object.entries(replaced).map(([name, value]) => `${name}: ${value}`);
  socket.write(head(statusCode, statusMessage, [...lines, ...own]), 'latin1');
}

const head = (status: number, message: string, lines: readonly string[]): string =>
  `HTTP/1.1 ${status} ${message}\r\n${[...lines, '', ''].join('\r\n')}`;
