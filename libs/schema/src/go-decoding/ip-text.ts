/** Returns true for four decimal octets; `sloppy` allows leading zeros, like Go before 1.17. */
export function isIPv4(text: string, sloppy = false): boolean {
  const parts = text.split('.');
  const octet = sloppy ? /^0*\d{1,3}$/ : /^(0|[1-9]\d{0,2})$/;
  return parts.length === 4 && parts.every((part) => octet.test(part) && Number(part) <= 255);
}

/** Returns true for an IPv6 address without a zone; it can end with an IPv4 address. */
export function isIPv6(text: string, sloppy = false): boolean {
  if (!text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all.at(-1);
  const endsInIPv4 = last !== undefined && last.includes('.') && !(halves.length === 2 && halves[1] === '');
  if (endsInIPv4 && !isIPv4(last, sloppy)) return false;
  const hex = endsInIPv4 ? all.slice(0, -1) : all;
  if (!hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const length = hex.length + (endsInIPv4 ? 2 : 0);
  return halves.length === 2 ? length < 8 : length === 8;
}

/** Returns true for an address that Go's sloppy parser accepts. */
export function isSloppyIP(text: string): boolean {
  const first = /[.:]/.exec(text)?.[0];
  return first === '.' ? isIPv4(text, true) : first === ':' && isIPv6(text, true);
}

/** Returns true for `address/length`. */
export function isCIDR(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  const bits = isIPv4(address, true) ? 32 : isIPv6(address, true) ? 128 : -1;
  return /^\d+$/.test(length) && Number(length) <= bits;
}
