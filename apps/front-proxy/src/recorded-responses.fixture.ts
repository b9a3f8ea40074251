import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** The parts of a response that the client receives, see conformance/PROVENANCE.md. */
export interface ReceivedResponse {
  status?: string;
  headers?: string[];
  body?: string;
  trailers?: string[];
  /** `kept`, `closed`, or with HTTP/2 `ended`, `reset` and its code. */
  end: string;
}

/** A response of an extension server, and the response that the client receives. */
export interface RecordedResponse {
  name: string;
  request?: { method?: string; headers?: string[]; body?: string; version?: 2 };
  /** Bytes as latin1, and milliseconds between them. */
  response: (string | number)[];
  /** The extension server closes its connection after the response. */
  ends?: boolean;
  client: ReceivedResponse;
}

export const recordedResponses = JSON.parse(
  readFileSync(new URL('../../../conformance/forwarding/responses.json', import.meta.url), 'utf8'),
) as RecordedResponse[];

/** Starts an extension server that responds to `…/<n>` with the bytes of the nth recorded response. */
export async function startWriter(certificate: { cert: string; key: string }): Promise<Server> {
  const server = createServer(certificate, (socket) => {
    let text = '';
    let turn = Promise.resolve();
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      for (let requested = takeRequest(text); requested !== undefined; requested = takeRequest(text)) {
        const { line, rest } = requested;
        text = rest;
        turn = turn.then(() => write(socket, line));
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Returns the first line of a complete request, and the text that follows the request. */
function takeRequest(text: string): { line: string; rest: string } | undefined {
  const [head, length] = [/^[^]*?\r\n\r\n/.exec(text)?.[0], /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]];
  if (head === undefined) return undefined;
  const end = head.length + Number(length ?? 0);
  return text.length < end ? undefined : { line: head.split('\r\n', 1)[0] ?? '', rest: text.slice(end) };
}

/** The server under test runs in the same event loop: after a stall, it reads the part before the pause in the turns that follow. */
async function pause(ms: number): Promise<void> {
  await setTimeout(ms);
  for (let turns = 0; turns < 2; turns++) await setImmediate();
}

async function write(socket: TLSSocket, line: string): Promise<void> {
  const recorded = recordedResponses[Number(/\/(\d+) /.exec(line)?.[1])];
  if (recorded === undefined) return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  for (const part of recorded.response) {
    if (typeof part === 'number') await pause(part);
    else socket.write(part, 'latin1');
  }
  if (recorded.ends) socket.end();
}
