import type { Agent as HttpAgent } from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { hostOf, nodeHttp, requireFinalResponse, trustedCertificates } from '@annex/runtime';
import type { ClientConfig } from './config.ts';
import type { Connections, Endpoint, RetirableConnections } from './connections.ts';
import { followTlsFiles } from './followed-config.ts';
import { FollowedConnections } from './followed-connections.ts';
import { Http2Connections } from './http2-connections.ts';
import { chooseProxy } from './proxy/choose-proxy.ts';
import { dialThroughProxy, proxyHeaders } from './proxy/dial-through-proxy.ts';
import { type OpenConnection, proxiedAgent } from './proxy/proxy-agents.ts';
import { retireAgent } from './retire-agent.ts';

/**
 * Returns the connection pool of a server, for the protocol of the configuration. It follows changes of the configuration's files.
 * Throws `ClientConfigError` for an invalid proxy.
 */
export const createConnections = (config: ClientConfig, url: URL): Connections =>
  config.tlsFiles === undefined
    ? connectionsOf(config, url)
    : new FollowedConnections(followTlsFiles(config), (now) => connectionsOf(now, url));

function connectionsOf(config: ClientConfig, url: URL): RetirableConnections {
  const route = routeTo(config, url);
  const { dial, endpoint, proxy } = route;
  if (proxy && url.protocol === 'http:' && !proxy.protocol.startsWith('socks'))
    return forwardedConnections(endpoint, proxy);
  return config.protocol === 'h2' ? new Http2Connections(endpoint, dial) : http1Connections(route);
}

/**
 * Returns an agent that connects to the server of a configuration, through its proxy if it has one, for requests that this
 * package does not send. It does not follow changes of the configuration's files. Throws `ClientConfigError` for an invalid proxy.
 */
export const createServerAgent = (config: ClientConfig): HttpAgent =>
  agentOf(routeTo(config, new URL(config.server)));

/** How a server is reached. */
interface Route {
  endpoint: Pick<Endpoint, 'url'> & Partial<Endpoint>;
  /** Undefined without a proxy. */
  dial?: OpenConnection | undefined;
}

function routeTo(config: ClientConfig, url: URL): Route & { endpoint: Endpoint; proxy: URL | undefined } {
  const given = config.proxyUrl ? undefined : config.dial;
  const proxy = given ? undefined : chooseProxy(url, config.proxyUrl, process.env);
  const endpoint: Endpoint = {
    url,
    secureContext: createSecureContext({
      ...trustedCertificates(config.ca),
      ...(config.cert ? { cert: config.cert, key: config.key } : {}),
    }),
    rejectUnauthorized: config.insecureSkipTlsVerify !== true,
    ...(config.tlsServerName ? { servername: config.tlsServerName } : {}),
  };
  const to = { host: hostOf(url), port: Number(portOf(url)) };
  const proxied = proxy && (() => dialThroughProxy(proxy, to, endpoint));
  return { endpoint, proxy, dial: given ? () => given(to) : proxied };
}

const kept = { keepAlive: true, scheduling: 'lifo' } as const;
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'http:' ? '80' : '443');

/** Plain requests to an http or https proxy, which gets the whole URL of each. */
function forwardedConnections({ url, ...tls }: Endpoint, proxy: URL): RetirableConnections {
  const host = hostOf(proxy);
  // Else Node verifies the proxy by the Host header.
  const servername = isIP(host) === 0 ? host : '';
  const direct = http1Connections({ endpoint: { ...tls, servername, url: proxy } });
  return {
    open({ path, headers, ...outgoing }) {
      const own = { ...headers, ...proxyHeaders(proxy), Host: url.host };
      return direct.open({ ...outgoing, path: `${url.origin}${path}`, headers: own });
    },
    retire: () => direct.retire(),
    isUnused: () => direct.isUnused(),
    close: () => direct.close(),
  };
}

function agentOf({ dial, endpoint: { url, ...tls } }: Route): HttpAgent {
  const plain = url.protocol === 'http:';
  const options = plain ? kept : { ...kept, ...tls };
  if (dial) return proxiedAgent(dial, plain, options);
  return plain ? new nodeHttp.Agent(options) : new https.Agent(options);
}

function http1Connections(route: Route): RetirableConnections {
  const { url } = route.endpoint;
  const agent = agentOf(route);
  const { request } = url.protocol === 'http:' ? nodeHttp : https;
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
    retire: () => retireAgent(agent),
    isUnused: () => Object.keys(agent.sockets).length === 0,
    close: () => agent.destroy(),
  };
}
