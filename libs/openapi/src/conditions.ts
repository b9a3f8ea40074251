import type { IncomingHttpHeaders } from 'node:http';

/** What the conditions of a request are about. */
export interface Validators {
  /** With its quotes; absent where there is none. */
  etag?: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/**
 * The answer that the conditions of a request for a document lead to: 412, 304 or 200; see RFC 9110, section 13.2.2. The
 * document is never changed by the request.
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
