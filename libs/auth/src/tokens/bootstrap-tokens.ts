import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject, type KubeObject } from '@annex/machinery';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { BoundObjects } from '../service-accounts/bound-objects.ts';

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPrefix = 'system:bootstrappers:';
/**
 * Characters of the longest group of a bootstrap token, without the prefix. Source: k8s.io/cluster-bootstrap.
 */
export const maxBootstrapGroupLength = 256;
const isGroup = (group: string): boolean =>
  group.length <= groupPrefix.length + maxBootstrapGroupLength &&
  /^system:bootstrappers:[a-z0-9:-]*[a-z0-9]$/.test(group);
const type = 'bootstrap.kubernetes.io/token';
const name = 'bootstrap-token';

/**
 * Authenticates the tokens in Secrets of the type `bootstrap.kubernetes.io/token`. Invalid Secrets are
 * ignored without an error. https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export const bootstrapTokens = (objects: BoundObjects, now: () => number = Date.now): TokenAuthenticator => ({
  name,
  async authenticateToken(token) {
    const [, id, secret] = form.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const found = await objects.get('secrets', 'kube-system', `bootstrap-token-${id}`);
    const groups = found && groupsOf(found, id, secret, now());
    return groups && { user: { name: `system:bootstrap:${id}`, groups, extra: {} }, by: name };
  },
});

/** Returns the groups of the token in a Secret; `undefined` if it is another token, or expired. */
function groupsOf(found: KubeObject, id: string, secret: string, now: number): string[] | undefined {
  if (found.metadata.deletionTimestamp !== undefined || found.type !== type) return undefined;
  const data = isObject(found.data) ? found.data : {};
  const field = (key: string): string => {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const stored = field('token-secret');
  if (stored === '' || !same(stored, secret) || field('token-id') !== id) return undefined;
  const expiration = field('expiration');
  // An unparsable time counts as expired.
  if (expiration !== '' && !(Date.parse(expiration) > now)) return undefined;
  if (field('usage-bootstrap-authentication') !== 'true') return undefined;
  const extra = [
    ...new Set(
      field('auth-extra-groups')
        .split(',')
        .map((group) => group.trim()),
    ),
  ].filter(Boolean);
  if (!extra.every(isGroup)) return undefined;
  return ['system:bootstrappers', ...extra.sort()];
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
