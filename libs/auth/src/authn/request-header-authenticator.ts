import { type CaBundle, PeerVerifier } from './peer-chain.ts';
import { headerText, unescapeExtraKey } from './header-text.ts';
import { type Authenticator, CredentialsError, type UserInfo } from '../types.ts';
import { commonNameOf } from './x509-authenticator.ts';

/** The `--requestheader-*` options. */
export interface RequestHeaderOptions {
  /** The CAs of authenticating proxies. */
  caPem: CaBundle;
  /** Common names that proxies may have; any, if empty. */
  allowedNames: readonly string[];
  usernameHeaders: readonly string[];
  groupHeaders: readonly string[];
  uidHeaders: readonly string[];
  /** The prefixes of the headers with extra attributes. */
  extraHeadersPrefix: readonly string[];
  /**
   * Keeps a header without a value as an empty group. An impersonated user can have one, and must stay the
   * same user in every process of one API server. Other servers drop it, as kube-apiserver does.
   */
  keepsEmptyGroups?: boolean;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/**
 * Authenticates the user that an authenticating proxy passes in headers. The proxy's certificate must be
 * signed by the request-header CA and name an allowed proxy.
 */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const verifier = new PeerVerifier(options.caPem, options.now ?? Date.now);
  const allowed = new Set(options.allowedNames);
  const headers = {
    username: options.usernameHeaders.map(lowerCase),
    group: options.groupHeaders.map(lowerCase),
    uid: options.uidHeaders.map(lowerCase),
    extra: options.extraHeadersPrefix.map(lowerCase),
  };
  return {
    name: 'request-header',
    takes: 'client certificate of the request-header CA',
    // Avoids throwing: most certificates belong to users and were signed by another CA.
    refusal: ({ peerCertificate }) => peerCertificate && verifier.refusal(peerCertificate),
    authenticate({ peerCertificate, rawHeaders }) {
      if (peerCertificate === undefined) return undefined;
      const proxy = commonNameOf(verifier.verify(peerCertificate));
      if (allowed.size > 0 && !allowed.has(proxy)) {
        // A certificate of the request-header CA never names a user, even if both CAs are the same:
        // https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#ca-reusage-and-conflicts
        const why = `x509: subject with cn=${proxy} is not in the allowed list`;
        throw new CredentialsError(why, { spendsCertificate: true });
      }
      const user = userOf(collectHeaders(rawHeaders), headers, options.keepsEmptyGroups);
      return user === undefined ? undefined : { user, by: 'request-header' };
    },
  };
}

const lowerCase = (name: string): string => name.toLowerCase();

/**
 * Collects values by lower-case name, in the order sent. Node joins repeated headers, which loses their
 * boundaries.
 */
function collectHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const collected = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = headerText(rawHeaders[i + 1] as string);
    const values = collected.get(name);
    if (values === undefined) collected.set(name, [value]);
    else values.push(value);
  }
  return collected;
}

function userOf(
  headers: Map<string, string[]>,
  names: Record<'username' | 'group' | 'uid' | 'extra', string[]>,
  keepsEmptyGroups = false,
): UserInfo | undefined {
  const first = (among: string[]) => among.map((name) => headers.get(name)?.[0] ?? '').find((v) => v !== '');
  const name = first(names.username);
  if (name === undefined) return undefined;
  const uid = first(names.uid);
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: names.group
      .flatMap((header) => headers.get(header) ?? [])
      .filter((group) => keepsEmptyGroups || group !== ''),
    extra: extraOf(headers, names.extra),
  };
}

function extraOf(headers: Map<string, string[]>, prefixes: string[]): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const [header, values] of headers) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapeExtraKey(header.slice(prefix.length));
      const before = extra.get(key);
      if (before === undefined) extra.set(key, [...values]);
      else for (const value of values) before.push(value);
    }
  }
  return Object.fromEntries(extra);
}
