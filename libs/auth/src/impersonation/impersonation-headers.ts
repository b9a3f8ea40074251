import { badRequest, StatusError } from '@annex/machinery';
import { noSniff } from '../authz/forbidden.ts';
import { headerText, unescapeExtraKey } from '../authn/header-text.ts';
import type { UserInfo } from '../types.ts';

const extraPrefix = 'impersonate-extra-';

/**
 * The user that `Impersonate-*` headers name, as they say it; `undefined` where there are none. Names and values stand in
 * turns, as sent. Throws 400 where they name anything but no user.
 */
export function impersonationHeaders(rawHeaders: readonly string[]): UserInfo | undefined {
  let name = '';
  let uid = '';
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] as string).toLowerCase();
    if (!header.startsWith('impersonate-')) continue;
    const value = headerText(rawHeaders[i + 1] as string);
    if (header === 'impersonate-user') name ||= value;
    else if (header === 'impersonate-uid') uid ||= value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(extraPrefix)) {
      const key = unescapeExtraKey(header.slice(extraPrefix.length));
      extra.set(key, [...(extra.get(key) ?? []), value]);
    }
  }
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
    const asked = { uid, groups, extra: Object.fromEntries(extra) };
    const text = `requested ${JSON.stringify(asked)} without impersonating a user name`;
    throw new StatusError(badRequest(text).status, noSniff);
  }
  return { name, ...(uid === '' ? {} : { uid }), groups, extra: Object.fromEntries(extra) };
}
