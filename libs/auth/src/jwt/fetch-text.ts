import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';

/** A whole answer of an issuer. */
export interface TextAnswer {
  status: number;
  /** `200 OK` */
  statusLine: string;
  cacheControl: string;
  text: string;
}

/** Asks one issuer over HTTPS, trusting the authorities that are given; the roots of the system, where there are none. */
export interface TextFetcher {
  get(url: string): Promise<TextAnswer>;
  close(): void;
}

const timeoutMs = 30_000;
const maxBytes = 1024 * 1024;

/** Makes a fetcher with connections of its own; `ca` is PEM. */
export function textFetcher(ca: string | undefined): TextFetcher {
  const agent = new Agent({ keepAlive: true, ...(ca ? { ca } : {}) });
  const stop = new AbortController();
  return {
    async get(url) {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(timeoutMs)]);
      const headers = { accept: 'application/json', 'user-agent': 'annex' };
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      get(url, { agent, headers, signal }, resolve).on('error', reject);
      const answer = await promise;
      const { statusCode: status = 0, statusMessage = '' } = answer;
      const cacheControl = answer.headers['cache-control'] ?? '';
      return { status, statusLine: `${status} ${statusMessage}`, cacheControl, text: await readText(answer) };
    },
    close() {
      stop.abort();
      agent.destroy();
    },
  };
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
