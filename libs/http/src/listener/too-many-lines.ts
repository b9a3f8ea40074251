import type { HttpRequest, HttpResponse } from './http-message.ts';
import { maxRequestHeadLines } from './listener-limits.ts';

/**
 * True if a head has more than {@link maxRequestHeadLines} lines. Nodes before 24.20 and 22.23 drop the lines after
 * `maxHeadersCount`, and report the request: a dropped line could have been `Impersonate-User`.
 */
export const hasTooManyLines = (req: HttpRequest): boolean => req.rawHeaders.length > 2 * maxRequestHeadLines;

/** Responds to heads that are too large, like Go's server. */
export function refuseHead(req: HttpRequest, res: HttpResponse): void {
  if (req.httpVersionMajor === 1) res.setHeader('Connection', 'close');
  res.writeHead(431, { 'Content-Type': 'text/plain; charset=utf-8' });
  res.end('431 Request Header Fields Too Large');
}
