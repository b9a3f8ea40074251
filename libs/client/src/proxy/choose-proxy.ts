import { getOwn, type GoUrl, parseUrl, UrlError } from '@annex/machinery';
import { hostOf } from '@annex/runtime';
import { ClientConfigError } from '../config.ts';
import { NoProxy } from './no-proxy.ts';

const schemes = new Set(['http', 'https', 'socks5', 'socks5h']);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for a server: the `proxy-url` of a kubeconfig, to which `NO_PROXY` does not apply, or that of the
 * environment. `HTTPS_PROXY` is for https servers, `HTTP_PROXY` for http servers, `ALL_PROXY` for both; upper case comes first.
 * Throws {@link ClientConfigError}.
 */
export function chooseProxy(server: URL, proxyUrl: string | undefined, env: Environment): URL | undefined {
  if (proxyUrl) return readProxyUrl(proxyUrl);
  const value = valueFor(server, env) ?? valueOf(env, 'ALL_PROXY');
  return value === undefined ? undefined : unlessExcluded(server, value, env);
}

/**
 * Returns the proxy that the environment names for a request of a server: `HTTPS_PROXY` or `HTTP_PROXY`, as in Go. Throws
 * {@link ClientConfigError}.
 */
export function environmentProxy(url: URL, env: Environment = process.env): URL | undefined {
  const value = valueFor(url, env);
  return value === undefined ? undefined : unlessExcluded(url, value, env);
}

/** The variable of the server's scheme. In a CGI program, a header of a client can be the variable `HTTP_PROXY`. */
function valueFor({ protocol }: URL, env: Environment): string | undefined {
  if (protocol === 'https:') return valueOf(env, 'HTTPS_PROXY');
  const value = valueOf(env, 'HTTP_PROXY');
  if (value !== undefined && valueOf(env, 'REQUEST_METHOD') !== undefined)
    throw new ClientConfigError(
      'refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy',
    );
  return value;
}

function unlessExcluded(server: URL, value: string, env: Environment): URL | undefined {
  const host = hostOf(server).toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const list = valueOf(env, 'NO_PROXY') ?? '';
  return new NoProxy(list).excludes(host, port) ? undefined : readProxyVariable(value);
}

const valueOf = (env: Environment, name: string): string | undefined =>
  getOwn(env, name) || getOwn(env, name.toLowerCase()) || undefined;

/** Reads the URL of a proxy. Throws {@link ClientConfigError} with the texts of client-go, without the credentials of the URL. */
export function readProxyUrl(text: string): URL {
  const parsed = parseGoUrl(text);
  if (parsed === undefined)
    throw new ClientConfigError(`could not parse: ${text.slice(text.lastIndexOf('@') + 1)}`);
  return usableProxy(parsed);
}

/** A variable that is no URL with a host is the address of an http proxy. */
function readProxyVariable(text: string): URL {
  const parsed = parseGoUrl(text);
  const isUrl = parsed !== undefined && parsed.scheme !== '' && parsed.host !== '';
  const found = isUrl ? parsed : (parseGoUrl(`http://${text}`) ?? parsed);
  if (found === undefined) throw new ClientConfigError('the environment has an invalid address of a proxy');
  return usableProxy(found);
}

function parseGoUrl(text: string): GoUrl | undefined {
  try {
    return parseUrl(text);
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

/** client-go refuses the other schemes of a kubeconfig, and uses those of the environment as http proxies. */
function usableProxy({ scheme, host, text }: GoUrl): URL {
  if (!schemes.has(scheme))
    throw new ClientConfigError(`unsupported scheme "${scheme}", must be http, https, socks5, or socks5h`);
  if (host === '') throw new ClientConfigError('could not parse: it has no host');
  if (!URL.canParse(text)) throw new ClientConfigError('could not parse: its host or port is invalid');
  const url = new URL(text);
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
