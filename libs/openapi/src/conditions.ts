import type { IncomingMessage } from 'node:http';

/** The validators of a document, for conditional requests. */
export interface Validators {
  /** With its quotes; absent if there is none. */
  etag?: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/**
 * Returns the status of a conditional request for a document: 412, 304 or 200. Source: RFC 9110, section
 * 13.2.2. Requests never change a document.
 */
export function conditionCode(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { etag, madeAt }: Validators,
): 200 | 304 | 412 {
  const { 'if-match': match, 'if-none-match': noneMatch, 'if-modified-since': since } = headers;
  const reads = method === 'GET' || method === 'HEAD';
  if (match !== undefined) {
    if (!tags(match).some((tag) => tag === '*' || tag === etag)) return 412;
  } else if (second(madeAt) > dateOf(headers['if-unmodified-since'])) return 412;
  if (noneMatch !== undefined) {
    const isKnown = tags(noneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
    if (!isKnown) return 200;
    return reads ? 304 : 412;
  }
  return reads && second(madeAt) <= dateOf(since) ? 304 : 200;
}

const second = (time: number): number => Math.trunc(time / 1000) * 1000;
/** Returns the time of a header; NaN if it is absent or invalid. */
const dateOf = (header: string | undefined): number => (header === undefined ? NaN : Date.parse(header));

const tags = (header: string): string[] => header.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
