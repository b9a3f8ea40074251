import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { dialErrorText } from '../aggregation/dial-error.ts';
import { AnswerError, answerError } from './answer-error.ts';

/** How a webhook is reached: a `clientConfig` of the API. */
export interface WebhookClientConfig {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** PEM in base64. */
  caBundle?: string;
}

/** Finds an address of a service. Throws where there is none, with `reason: 'ServiceNotFound'` for an unknown service. */
export type ResolveService = (service: { namespace: string; name: string; port: number }) => {
  host: string;
  port: number;
};

const maxBytes = 64 * 1024 * 1024;

interface Target {
  url: URL;
  /** The host and port as errors name them. */
  host: string;
  address(): { host: string; port: number };
}

/** A client of one webhook: posts JSON over TLS that is verified by the webhook's CA bundle, or the system's roots. */
export class WebhookClient {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(config: WebhookClientConfig, resolve: ResolveService) {
    this.#target = targetOf(config, resolve);
    const ca = Buffer.from(config.caBundle ?? '', 'base64')
      .toString()
      .trim();
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, ...(ca === '' ? {} : { ca }) });
  }

  /**
   * Posts a document and resolves to the body of the answer. The webhook is told in its query how many seconds it has.
   * Throws with the words of Go's client.
   */
  async post(body: string, timeoutMs = 30_000): Promise<string> {
    const { url, host } = this.#target;
    const path = `${url.pathname}?timeout=${Math.ceil(timeoutMs / 1000)}s`;
    try {
      return await this.#send(body, path, timeoutMs);
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      throw new Error(`Post ${JSON.stringify(`https://${host}${path}`)}: ${this.#describe(error)}`, {
        cause: error,
      });
    }
  }

  /** Closes the idle connections now, and the others when their request ends. */
  close(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  #describe(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded';
    const { hostname, port } = this.#target.url;
    const host = bareAddress(hostname);
    return dialErrorText(error, { host, port: Number(port || 443) }, host);
  }

  #send(body: string, path: string, timeoutMs: number): Promise<string> {
    const { url, host: named, address } = this.#target;
    const { host, port } = address();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sent = request(
      {
        host,
        port,
        // An address is no server name: it is verified as the host.
        ...(isIP(bareAddress(url.hostname)) ? {} : { servername: url.hostname }),
        path,
        method: 'POST',
        agent: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          host: named,
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) answer.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const answered = Buffer.concat(chunks);
          const failed = answerError(answer.statusCode ?? 0, answer.headers['content-type'], answered);
          if (failed === undefined) resolve(answered.toString());
          else reject(failed);
        });
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that was kept may have been closed by the other side just then: nobody has seen the request.
      if (sent.reusedSocket && error.code === 'ECONNRESET') {
        this.#send(body, path, timeoutMs).then(resolve, reject);
      } else {
        reject(error);
      }
    });
    sent.end(body);
    return promise;
  }
}

/** Addresses of IPv6 stand in brackets in a URL. */
const bareAddress = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

function targetOf(config: WebhookClientConfig, resolve: ResolveService): Target {
  if (config.url !== undefined) {
    const url = new URL(config.url);
    const host = bareAddress(url.hostname);
    return { url, host: url.host, address: () => ({ host, port: Number(url.port || 443) }) };
  }
  const { namespace = '', name = '', path = '/', port = 443 } = config.service ?? {};
  const named = `${name}.${namespace}.svc:${port}`;
  const url = new URL(path, `https://${named}`);
  const address = (): { host: string; port: number } => {
    try {
      return resolve({ namespace, name, port });
    } catch (error) {
      const { reason } = error as { reason?: string };
      throw reason === 'ServiceNotFound' ? new Error(`service ${JSON.stringify(name)} not found`) : error;
    }
  };
  return { url, host: named, address };
}
