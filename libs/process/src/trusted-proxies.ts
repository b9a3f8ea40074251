import { requestHeaderAuthenticator, x509Authenticator, type Authenticator } from '@annex/auth';
import { getOwn, isObject, parseJson } from '@annex/machinery';

/** `data` of the ConfigMap `extension-apiserver-authentication` in `kube-system`. */
export type AuthenticationData = Readonly<Record<string, string>>;

/**
 * Returns the authenticators that the API server publishes for extension API servers: request headers of its
 * proxy certificate first, then client certificates. Throws if the data is invalid.
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

/**
 * Returns the ConfigMap with replacements: a replaced CA of proxies also replaces their names and headers.
 */
export function withReplacements(published: AuthenticationData, own: AuthenticationData): AuthenticationData {
  if (own['requestheader-client-ca-file'] === undefined) return { ...published, ...own };
  const others = Object.entries(published).filter(([key]) => !key.startsWith('requestheader-'));
  return { ...Object.fromEntries(others), ...own };
}

function names(data: AuthenticationData, key: string): string[] {
  const text = getOwn(data, key);
  if (!text) return [];
  const value = parseJson(text);
  if (!Array.isArray(value) || isObject(value) || !value.every((name) => typeof name === 'string')) {
    throw new Error(`${key} of the ConfigMap is not a list of strings`);
  }
  return value;
}
