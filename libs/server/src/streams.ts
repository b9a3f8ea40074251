import type { RequestContext } from './context.ts';
import { discoveryPath } from './standalone/internal-discovery.ts';

const streamedSubresources = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

/** True for requests that last as long as their client wants. */
export function isStream(ctx: RequestContext): boolean {
  const { verb, subresource } = ctx.info;
  return (
    verb === 'watch' ||
    verb === 'proxy' ||
    streamedSubresources.has(subresource) ||
    ctx.req.headers.upgrade !== undefined ||
    ctx.path === discoveryPath
  );
}
