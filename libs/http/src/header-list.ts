import type { OutgoingHttpHeaders } from 'node:http';

/** Header values by name, without a prototype. */
export type HeaderMap = Record<string, string | string[]>;

/** Header names and values by turns, as Node's `rawHeaders`. */
export type HeaderList = readonly string[];

/** Headers of an object as a list. */
export const headerList = (headers: OutgoingHttpHeaders): HeaderList =>
  Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((one) => [name, String(one)]),
  );

/** Headers of a list by name, without a prototype. */
export function headerObject(list: HeaderList): HeaderMap {
  // A header may be called `constructor`.
  const headers = Object.create(null) as HeaderMap;
  for (let i = 0; i + 1 < list.length; i += 2) {
    const [name, value] = [list[i] as string, list[i + 1] as string];
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === 'string') headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}

/** The names in a header that lists names, as `Connection` and `TE`. */
export function listedNames(value: string | undefined): ReadonlySet<string> {
  if (value === undefined) return none;
  return new Set(value.split(',').map((token) => token.trim().toLowerCase()));
}

const none: ReadonlySet<string> = new Set();
