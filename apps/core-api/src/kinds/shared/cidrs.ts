import { isIP } from 'node:net';
import type { FieldPath } from '@annex/machinery';
import { type FieldError, fieldErrors } from '@annex/machinery';

const malformed = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Checks an address range, whose bits after the prefix must be zero. */
export function cidrErrors(value: unknown, at: FieldPath): FieldError[] {
  const text = String(value);
  const [address = '', length = '', ...more] = text.split('/');
  const family = isIP(address);
  const bits = family === 6 ? 128 : 32;
  const isRange =
    family !== 0 && more.length === 0 && /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= bits;
  if (!isRange) return [fieldErrors.invalid(at, value, malformed)];
  const host = bits - Number(length);
  const mask = (1n << BigInt(host)) - 1n;
  if ((numberOf(address, family) & mask) === 0n) return [];
  return [fieldErrors.invalid(at, value, 'must not have bits set beyond the prefix length')];
}

function numberOf(address: string, family: number): bigint {
  if (family === 4) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce(
    (sum, group) => sum * 65536n + BigInt(`0x${group || '0'}`),
    0n,
  );
}

/** True if a range is a proper subset of another range. */
export function isSubRange(inner: string, outer: string): boolean {
  const [a, b] = [parts(inner), parts(outer)];
  if (a.family !== b.family || a.length <= b.length) return false;
  const shift = BigInt((b.family === 6 ? 128 : 32) - b.length);
  return a.address >> shift === b.address >> shift;
}

function parts(range: string) {
  const [address = '', length = ''] = range.split('/');
  const family = isIP(address);
  return { family, address: numberOf(address, family), length: Number(length) };
}
