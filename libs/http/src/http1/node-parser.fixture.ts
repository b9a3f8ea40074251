import { request } from 'node:http';
import { duplexPair } from 'node:stream';

/** What Node's HTTP client reads of a response: its error code, or the response with its body. */
export type NodeOutcome =
  | { refusedWith: string }
  | { statusCode: number; headers: readonly string[]; body: string; isComplete: boolean };

/** Reads a response to a GET request, after whose bytes the connection ends, with the parser of Node's HTTP client. */
export function readWithNode(bytes: Uint8Array): Promise<NodeOutcome> {
  const [socket, server] = duplexPair();
  server.on('error', () => {}).resume();
  return new Promise((done) => {
    const client = request({ createConnection: () => socket as never });
    client.on('error', ({ code }: NodeJS.ErrnoException) => done({ refusedWith: code ?? 'ERROR' }));
    client.on('upgrade', () => done({ refusedWith: 'UPGRADE' }));
    client.on('response', (response) => {
      let body = '';
      const finish = (error?: NodeJS.ErrnoException): void => {
        if (error?.code?.startsWith('HPE_')) return done({ refusedWith: error.code });
        const { statusCode = 0, rawHeaders: headers, complete: isComplete } = response;
        done({ statusCode, headers, body, isComplete });
      };
      response.setEncoding('latin1');
      response.on('data', (data: string) => (body += data));
      response.on('end', () => finish());
      response.on('error', finish);
    });
    client.end();
    server.end(bytes);
  }).finally(() => socket.destroy()) as Promise<NodeOutcome>;
}
