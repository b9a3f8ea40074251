import { getOwn } from '@annex/machinery';
import { hostOf } from '@annex/runtime';
import { ClientConfigError } from '../config.ts';
import { NoProxy } from './no-proxy.ts';

const schemes = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a server: the `proxy-url` of a kubeconfig, to which `NO_PROXY` does not apply, or that of the
 * environment. `HTTPS_PROXY` is for https servers, `HTTP_PROXY` for http servers, `ALL_PROXY` for both; upper case comes first.
 * Throws {@link ClientConfigError}.
 */
export function chooseProxy(server: URL, proxyUrl: string | undefined, env: Environment): URL | undefined {
  if (proxyUrl) return readProxyUrl(proxyUrl);
  const variables = [server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY'];
  return proxyOf(server, variables, env);
}

function proxyOf(server: URL, variables: readonly string[], env: Environment): URL | undefined {
  const [value] = variables.flatMap((name) => valueOf(env, name) ?? []);
  if (value === undefined) return undefined;
  const host = hostOf(server).toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return new NoProxy(valueOf(env, 'NO_PROXY') ?? '').excludes(host, port)
    ? undefined
    : readProxyVariable(value);
}

/**
 * Returns the proxy that the environment names for a request of a server: `HTTPS_PROXY` or `HTTP_PROXY`, as in Go. Throws
 * {@link ClientConfigError}.
 */
export const environmentProxy = (url: URL, env: Environment = process.env): URL | undefined =>
  proxyOf(url, [url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'], env);

const valueOf = (env: Environment, name: string): string | undefined =>
  getOwn(env, name) || getOwn(env, name.toLowerCase()) || undefined;

/** Reads the URL of a proxy. Throws {@link ClientConfigError} with the texts of client-go. */
export function readProxyUrl(text: string): URL {
  if (!URL.canParse(text)) throw new ClientConfigError('could not parse: it is no URL');
  const url = new URL(text);
  if (!schemes.has(url.protocol))
    throw new ClientConfigError(
      `unsupported scheme "${url.protocol.slice(0, -1)}", must be http, https, socks5, or socks5h`,
    );
  if (url.hostname === '') throw new ClientConfigError('could not parse: it has no host');
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw new ClientConfigError('could not parse: its credentials have an invalid escape');
  return url;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A variable without a supported scheme is the address of an http proxy. */
function readProxyVariable(text: string): URL {
  const hasScheme = URL.canParse(text) && schemes.has(new URL(text).protocol);
  const url = hasScheme ? text : `http://${text}`;
  if (!URL.canParse(url)) throw new ClientConfigError('the environment has an invalid address of a proxy');
  return readProxyUrl(url);
}
