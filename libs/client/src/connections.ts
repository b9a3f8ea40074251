import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import * as https from 'node:https';
import type { Readable } from 'node:stream';
import { type SecureContext, createSecureContext } from 'node:tls';
import { nodeHttp } from '@annex/runtime';
import type { ClientConfig } from './config.ts';
import { Http2Connections } from './http2-connections.ts';

/** A response head, and its body as a stream. */
export interface ClientMessage extends Readable {
  statusCode?: number | undefined;
  headers: IncomingHttpHeaders;
}

/** An outgoing request. */
export interface Outgoing {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array | undefined;
  signal: AbortSignal | undefined;
}

/** The connection pool of one server. */
export interface Connections {
  open(outgoing: Outgoing): Promise<ClientMessage>;
  close(): void;
}

/** The TLS settings of a connection. */
export interface Endpoint {
  url: URL;
  secureContext: SecureContext;
  rejectUnauthorized: boolean;
  servername?: string;
}

export function createConnections(config: ClientConfig, url: URL): Connections {
  const endpoint: Endpoint = {
    url,
    secureContext: createSecureContext({
      ...(config.ca ? { ca: config.ca } : {}),
      ...(config.cert ? { cert: config.cert, key: config.key } : {}),
    }),
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
    ...(config.tlsServerName ? { servername: config.tlsServerName } : {}),
  };
  return config.protocol === 'h2' ? new Http2Connections(endpoint) : http1Connections(endpoint);
}

function http1Connections({ url, ...tls }: Endpoint): Connections {
  const kept = { keepAlive: true, scheduling: 'lifo' } as const;
  // Plain HTTP is only for proxies on the same machine, such as `kubectl proxy`.
  const plain = url.protocol === 'http:';
  const agent = plain ? new nodeHttp.Agent(kept) : new https.Agent({ ...kept, ...tls });
  const { request } = plain ? nodeHttp : https;
  const target = { agent, host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || (plain ? 80 : 443) };
  return {
    open({ method, path, headers, body, signal }) {
      const options = { ...target, method, path, headers };
      return new Promise((resolve, reject) => {
        const sent = request({ ...options, ...(signal ? { signal } : {}) });
        sent.once('response', resolve);
        sent.on('error', reject);
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
