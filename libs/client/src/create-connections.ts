import * as https from 'node:https';
import { createSecureContext } from 'node:tls';
import { nodeHttp, requireFinalResponse, trustedCertificates } from '@annex/runtime';
import type { ClientConfig } from './config.ts';
import type { Connections, Endpoint } from './connections.ts';
import { Http2Connections } from './http2-connections.ts';

/** Returns the connection pool of a server, for the protocol of the configuration. */
export function createConnections(config: ClientConfig, url: URL): Connections {
  const endpoint: Endpoint = {
    url,
    secureContext: createSecureContext({
      ...trustedCertificates(config.ca),
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
        requireFinalResponse(sent);
        sent.once('response', resolve);
        sent.on('error', reject);
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
