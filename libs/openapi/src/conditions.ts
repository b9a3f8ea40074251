import type { IncomingHttpHeaders } from 'node:http';

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
export function conditionCode(headers: IncomingHttpHeaders, { etag, madeAt }: Validators): 200 | 304 | 412 {
  const { 'if-match': match, 'if-none-match': noneMatch, 'if-modified-since': since } = headers;
  if (match !== undefined && !tags(match).some((tag) => tag === '*' || tag === etag)) return 412;
  if (noneMatch !== undefined) {
    const isKnown = tags(noneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
    return isKnown ? 304 : 200;
  }
  const seen = since === undefined ? NaN : Date.parse(since);
  return Math.trunc(madeAt / 1000) * 1000 <= seen ? 304 : 200;
}

const tags = (header: string): string[] => header.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
