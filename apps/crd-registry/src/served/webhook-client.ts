import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import type { WebhookClientConfig } from '../definition/crd.ts';

/** Finds an address of a service. Throws where there is none, with `reason: 'ServiceNotFound'` for an unknown service. */
export type ResolveService = (service: { namespace: string; name: string; port: number }) => {
  host: string;
  port: number;
};

const timeoutMs = 30_000;
const maxBytes = 64 * 1024 * 1024;

interface Target {
  /** As errors name it. */
  url: URL;
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

  /** Posts a document and resolves to the body of the answer. Throws with the words of Go's client. */
  async post(body: string): Promise<string> {
    const { url } = this.#target;
    try {
      return await this.#send(body);
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      throw new Error(`Post ${JSON.stringify(url.href)}: ${describe(error)}`, { cause: error });
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(body: string): Promise<string> {
    const { url, address } = this.#target;
    const { host, port } = address();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sent = request(
      {
        host,
        port,
        // An address is no server name: it is verified as the host.
        ...(isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) ? {} : { servername: url.hostname }),
        path: url.pathname + url.search,
        method: 'POST',
        agent: this.#agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          host: url.host,
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
          const status = answer.statusCode ?? 0;
          if (status >= 200 && status <= 206) resolve(Buffer.concat(chunks).toString());
          else
            reject(
              new AnswerError(statusText(status, answer.headers['content-type'], Buffer.concat(chunks))),
            );
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }
}

/** The webhook answered, but not with success. */
class AnswerError extends Error {}

function targetOf(config: WebhookClientConfig, resolve: ResolveService): Target {
  if (config.url !== undefined) {
    const url = withTimeout(new URL(config.url));
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { url, address: () => ({ host, port: Number(url.port || 443) }) };
  }
  const { namespace = '', name = '', path = '/', port = 443 } = config.service ?? {};
  const url = withTimeout(new URL(path, `https://${name}.${namespace}.svc:${port}`));
  // The default port is part of the name that errors show.
  if (url.port === '')
    Object.defineProperty(url, 'href', { value: url.href.replace('.svc/', `.svc:${port}/`) });
  const address = (): { host: string; port: number } => {
    try {
      return resolve({ namespace, name, port });
    } catch (error) {
      const { reason } = error as { reason?: string };
      throw reason === 'ServiceNotFound' ? new Error(`service ${JSON.stringify(name)} not found`) : error;
    }
  };
  return { url, address };
}

function withTimeout(url: URL): URL {
  url.searchParams.set('timeout', `${timeoutMs / 1000}s`);
  return url;
}

const codes: Record<string, string> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
};

const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', address, port } = error as Error & { code?: string; address?: string; port?: number };
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'context deadline exceeded';
  if (untrusted.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  const known = codes[code];
  if (known !== undefined) return `dial tcp ${address}:${port}: ${known}`;
  return error.message;
}

function statusText(status: number, contentType = '', body: Buffer): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status === 401) return 'the server has asked for the client to provide credentials';
  if (status < 500)
    return `the server responded with the status code ${status} but did not return more information`;
  const text = contentType.startsWith('text/') ? body.toString().trim() : '';
  return `an error on the server (${JSON.stringify(text === '' ? 'unknown' : text)}) has prevented the request from succeeding`;
}
