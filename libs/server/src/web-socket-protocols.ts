import { containsToken, offeredProtocols } from '@annex/auth';
import type { HttpRequest } from '@annex/http';

const header = 'sec-websocket-protocol';

/**
 * Removes the bearer token from the subprotocols of a request with any Upgrade, so that no later step can
 * forward it. Returns the original subprotocols.
 */
export function takeWebSocketProtocols(req: HttpRequest): readonly string[] | undefined {
  const sent = req.headers[header];
  if (sent === undefined) return undefined;
  const offered = offeredProtocols(sent);
  if (!offered.some(containsToken)) return offered;
  const others = offered.filter((protocol) => protocol !== '' && !containsToken(protocol)).join(',');
  const lines = withoutHeader(req.rawHeaders);
  if (others === '') delete req.headers[header];
  else {
    req.headers[header] = others;
    lines.push('Sec-WebSocket-Protocol', others);
  }
  req.rawHeaders.splice(0, Infinity, ...lines);
  return offered;
}

const withoutHeader = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== header);
