import type { IncomingHttpHeaders } from 'node:http';
import type { RequestContext } from './context.ts';
import { discoveryPath } from './discovery/internal-discovery.ts';
import { tracesPath } from './trace/traces-path.ts';

const streamedSubresources = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

// The header alone changes nothing: it must be named as one for this connection, which HTTP/2 does not know.
const isUpgrade = ({ connection, upgrade }: IncomingHttpHeaders): boolean =>
  upgrade !== undefined && /\bupgrade\b/i.test(connection ?? '');

/** True for requests that last as long as their client wants. */
export function isStream(ctx: RequestContext): boolean {
  const { verb, subresource } = ctx.info;
  return (
    verb === 'watch' ||
    verb === 'proxy' ||
    streamedSubresources.has(subresource) ||
    isUpgrade(ctx.req.headers) ||
    ctx.path === discoveryPath ||
    ctx.path === tracesPath
  );
}
