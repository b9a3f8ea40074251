import { requestHeaderAuthenticator, x509Authenticator, type Authenticator } from '@annex/auth';
import { getOwn, isObject, parseJson } from '@annex/machinery';

/** `data` of the ConfigMap `extension-apiserver-authentication` in `kube-system`. */
export type AuthenticationData = Readonly<Record<string, string>>;

/**
 * The authenticators that the API server asks its extension servers to use: request headers of its own proxy certificate
 * first, then client certificates. Throws where the data cannot be read.
 */
export function publishedAuthenticators(data: AuthenticationData): Authenticator[] {
  const list: Authenticator[] = [];
  const proxies = data['requestheader-client-ca-file'];
  if (proxies) {
    list.push(
      requestHeaderAuthenticator({
        caPem: proxies,
        allowedNames: names(data, 'requestheader-allowed-names'),
        usernameHeaders: names(data, 'requestheader-username-headers'),
        groupHeaders: names(data, 'requestheader-group-headers'),
        uidHeaders: names(data, 'requestheader-uid-headers'),
        extraHeadersPrefix: names(data, 'requestheader-extra-headers-prefix'),
      }),
    );
  }
  const clients = data['client-ca-file'];
  if (clients) list.push(x509Authenticator({ caPem: clients }));
  return list;
}

/** What the ConfigMap says, but for what is set here: an authority of proxies comes with the names that are set beside it. */
export function overridden(published: AuthenticationData, own: AuthenticationData): AuthenticationData {
  if (own['requestheader-client-ca-file'] === undefined) return { ...published, ...own };
  const others = Object.entries(published).filter(([key]) => !key.startsWith('requestheader-'));
  return { ...Object.fromEntries(others), ...own };
}

function names(data: AuthenticationData, key: string): string[] {
  const text = getOwn(data, key);
  if (!text) return [];
  const value = parseJson(text);
  if (!Array.isArray(value) || isObject(value) || !value.every((name) => typeof name === 'string')) {
    throw new Error(`${key} of the ConfigMap is no list of strings`);
  }
  return value;
}
