import type { OutgoingHttpHeaders } from 'node:http';

/** Header values by name, without a prototype. */
export type HeaderMap = Record<string, string | string[]>;

/** Alternating header names and values, like Node's `rawHeaders`. */
export type HeaderList = readonly string[];

/** Converts the headers of an object to a list. */
export const headerList = (headers: OutgoingHttpHeaders): HeaderList =>
  Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().flatMap((one) => [name, String(one)]),
  );

/** Converts a list of headers to an object, without a prototype. */
export function headerObject(list: HeaderList): HeaderMap {
  // A header may be named `constructor`.
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

/** Parses a header that lists names, such as `Connection` and `TE`. */
export function listedNames(value: string | undefined): ReadonlySet<string> {
  if (value === undefined) return none;
  return new Set(value.split(',').map((token) => token.trim().toLowerCase()));
}

const none: ReadonlySet<string> = new Set();
