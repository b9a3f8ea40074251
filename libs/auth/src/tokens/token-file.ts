import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { Authenticated } from '../types.ts';
import { csvRecords } from './csv.ts';

const name = 'token-file';

/**
 * Authenticates the tokens of a `--token-auth-file`: `token,user,uid,"group1,group2"` per line. Throws on an
 * invalid line. https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */
export function tokenFileTokens(text: string, path: string): TokenAuthenticator {
  const results = new Map<string, Authenticated>();
  for (const [token = '', user, uid, groups] of csvRecords(text).map((record) => checked(record, path))) {
    if (token === '') continue;
    const info = {
      name: user ?? '',
      ...(uid ? { uid } : {}),
      groups: groups === undefined ? [] : groups.split(','),
      extra: {},
    };
    results.set(token, { user: info, by: name });
  }
  return { name, authenticateToken: (token) => results.get(token) };
}

function checked(record: readonly string[], path: string): readonly string[] {
  if (record.length >= 3) return record;
  throw new Error(
    `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
  );
}
