import { badRequest, goQuote, StatusError } from '@annex/machinery';
import { noSniff } from '../authz/forbidden.ts';
import { headerText, unescapeExtraKey } from '../authn/header-text.ts';
import type { UserInfo } from '../types.ts';

const extraPrefix = 'impersonate-extra-';

/**
 * Returns the user in the `Impersonate-*` headers; `undefined` if there are none. The list alternates names
 * and values, as sent. Throws 400 if the headers name other attributes but no user.
 */
export function impersonationHeaders(rawHeaders: readonly string[]): UserInfo | undefined {
  let sentName: string | undefined;
  let sentUid: string | undefined;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = (rawHeaders[i] as string).toLowerCase();
    if (!header.startsWith('impersonate-')) continue;
    const value = headerText(rawHeaders[i + 1] as string);
    if (header === 'impersonate-user') sentName ??= value;
    else if (header === 'impersonate-uid') sentUid ??= value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(extraPrefix)) {
      const key = unescapeExtraKey(header.slice(extraPrefix.length));
      const values = extra.get(key);
      if (values === undefined) extra.set(key, [value]);
      else values.push(value);
    }
  }
  // The first of repeated headers counts, even if it is empty.
  const [name, uid] = [sentName ?? '', sentUid ?? ''];
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra.size === 0) return undefined;
    const text = `requested ${goUserInfo(uid, groups, extra)} without impersonating a user name`;
    throw new StatusError(badRequest(text).status, noSniff);
  }
  return { name, ...(uid === '' ? {} : { uid }), groups, extra: Object.fromEntries(extra) };
}

/** Prints a user without a name like Go's `%#v`, which kube-apiserver's message contains. */
function goUserInfo(uid: string, groups: readonly string[], extra: ReadonlyMap<string, string[]>): string {
  const list = (values: readonly string[]) => `[]string{${values.map(goQuote).join(', ')}}`;
  const entries = [...extra.keys()].sort().map((key) => `${goQuote(key)}:${list(extra.get(key) ?? [])}`);
  const printed = {
    Groups: groups.length === 0 ? '[]string(nil)' : list(groups),
    Extra: `map[string][]string${extra.size === 0 ? '(nil)' : `{${entries.join(', ')}}`}`,
  };
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${printed.Groups}, Extra:${printed.Extra}}`;
}
