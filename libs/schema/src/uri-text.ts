import { isIPv6 } from './ip-text.ts';

/** True for an absolute URI or an absolute path, by the rules of Go's `url.ParseRequestURI`. */
export function isRequestURI(text: string): boolean {
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  const afterScheme = scheme === undefined ? text : text.slice(scheme.length + 1);
  const query = afterScheme.indexOf('?');
  const rest = query < 0 ? afterScheme : afterScheme.slice(0, query);
  if (!rest.startsWith('/')) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority, scheme.toLowerCase()) && isEscaped(slash < 0 ? '' : rest.slice(slash));
}

const isEscaped = (text: string): boolean => !/%(?![0-9A-Fa-f]{2})/.test(text);

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscaped(user)) return false;
  return isHost(authority.slice(at + 1), scheme);
}

function isHost(host: string, scheme: string): boolean {
  const literal = /^\[([0-9A-Fa-f:.]*)(?:%25[^\]]+)?\](?::\d*)?$/.exec(host)?.[1];
  if (literal !== undefined) return isIPv6(literal);
  if (host.includes('[')) return false;
  const strict = scheme === 'http' || scheme === 'https';
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) return false;
  // A host may only escape bytes beyond ASCII.
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:\]<>"]|[^\u0000-\u007f]|%[89A-Fa-f][0-9A-Fa-f])*$/.test(host);
}
