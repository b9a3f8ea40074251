import type { RequestContext } from '@annex/kinds';
import { discoveryPath } from './discovery/internal-discovery.ts';
import { tracesPath } from './trace/traces-path.ts';
import { requestedUpgrade } from '@annex/http';

const streamedSubresources = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

/** Returns whether the client determines the duration of a request. */
export function isStream(request: RequestContext): boolean {
  const { verb, subresource } = request.info;
  return (
    verb === 'watch' ||
    verb === 'proxy' ||
    streamedSubresources.has(subresource) ||
    requestedUpgrade(request.req) !== undefined ||
    request.path === discoveryPath ||
    request.path === tracesPath
  );
}
