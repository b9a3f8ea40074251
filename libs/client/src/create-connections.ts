import * as https from 'node:https';
import { createSecureContext } from 'node:tls';
import { hostOf, nodeHttp, requireFinalResponse, trustedCertificates } from '@annex/runtime';
import type { ClientConfig } from './config.ts';
import type { Connections, Endpoint } from './connections.ts';
import { Http2Connections } from './http2-connections.ts';
import { chooseProxy } from './proxy/choose-proxy.ts';
import { dialThroughProxy, proxyHeaders } from './proxy/dial-through-proxy.ts';
import { type Dial, proxiedAgent } from './proxy/proxy-agents.ts';

/** Returns the connection pool of a server, for the protocol of the configuration. Throws `ClientConfigError` for an invalid proxy. */
export function createConnections(config: ClientConfig, url: URL): Connections {
  const proxy = chooseProxy(url, config.proxyUrl, process.env);
  const endpoint: Endpoint = {
    url,
    secureContext: createSecureContext({
      ...trustedCertificates(config.ca),
      ...(config.cert ? { cert: config.cert, key: config.key } : {}),
    }),
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
    ...(config.tlsServerName ? { servername: config.tlsServerName } : {}),
  };
  if (proxy?.protocol === 'http:' && url.protocol === 'http:') return forwardedConnections(url, proxy);
  const to = { host: hostOf(url), port: Number(portOf(url)) };
  const dial = proxy && (() => dialThroughProxy(proxy, to, endpoint));
  return config.protocol === 'h2' ? new Http2Connections(endpoint, dial) : http1Connections(endpoint, dial);
}

const kept = { keepAlive: true, scheduling: 'lifo' } as const;
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'http:' ? '80' : '443');

/** Plain requests to an http proxy, which gets the whole URL of each. */
function forwardedConnections(url: URL, proxy: URL): Connections {
  const direct = http1Connections({ url: proxy });
  return {
    open({ path, headers, ...outgoing }) {
      const own = { ...headers, ...proxyHeaders(proxy), Host: url.host };
      return direct.open({ ...outgoing, path: `${url.origin}${path}`, headers: own });
    },
    close: () => direct.close(),
  };
}

function http1Connections(
  { url, ...tls }: Pick<Endpoint, 'url'> & Partial<Endpoint>,
  dial?: Dial,
): Connections {
  const plain = url.protocol === 'http:';
  const options = plain ? kept : { ...kept, ...tls };
  const agent = dial
    ? proxiedAgent(dial, plain, options)
    : plain
      ? new nodeHttp.Agent(options)
      : new https.Agent(options);
  const { request } = plain ? nodeHttp : https;
  const target = { agent, host: hostOf(url), port: portOf(url) };
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
