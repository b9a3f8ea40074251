import {
  aggregatedDocument,
  aggregatedVersion,
  apiGroup,
  groupDocument,
  groupListDocument,
  type Handler,
  methodNotRouted,
  OpenApiHandlers,
  sendAggregated,
  sendDocument,
  isAggregatedRequested,
} from '@annex/server';
import { noSuchResource, stringifyJson } from '@annex/machinery';
import { digest } from '@annex/openapi';
import type { DiscoverySource, RequestContext } from '@annex/kinds';

/**
 * Handles `/apis`, `/apis/<group>`, `/openapi/v2` and `/openapi/v3` for the resources of this server; `api`
 * handles everything else.
 */
export function ownDocuments(source: DiscoverySource, now: () => number, api: Handler): Handler {
  const openApi = new OpenApiHandlers([source], now);
  return async (request) => {
    const [, root, first = '', ...rest] = request.path.split('/');
    const deep = rest.some((segment) => segment !== '');
    // As in Go's extension API servers: discovery is read-only.
    if (root === 'apis' && !request.info.isResourceRequest && request.req.method !== 'GET')
      throw methodNotRouted();
    if (root === 'apis' && !deep) {
      return first === '' ? await sendGroups(request, source) : await sendGroup(request, source, first, api);
    }
    if (root === 'apis' && !(await isServed(source, first, rest))) throw noSuchResource();
    if (root === 'openapi' && first === 'v3') {
      return deep ? openApi.v3.document(request, rest.join('/')) : openApi.v3.index(request);
    }
    if (root === 'openapi' && first === 'v2' && !deep) return openApi.v2(request);
    await api(request);
  };
}

/**
 * Returns false for a path that is in none of the versions of a served group. The API handler refuses all
 * other groups.
 */
async function isServed(
  source: DiscoverySource,
  name: string,
  [version]: readonly string[],
): Promise<boolean> {
  const group = (await source.groups()).find(({ metadata }) => metadata.name === name);
  return group === undefined || group.versions.some((served) => served.version === version);
}

async function sendGroups(request: RequestContext, source: DiscoverySource): Promise<void> {
  const groups = await source.groups();
  if (!isAggregatedRequested(request.req.headers.accept)) {
    const listed = groups.map(({ metadata, versions }) =>
      apiGroup(
        metadata.name ?? '',
        versions.map(({ version }) => version),
      ),
    );
    return await sendDocument(request, groupListDocument(listed), { routed: true });
  }
  const items = groups.map((group) => ({ ...group, versions: group.versions.map(aggregatedVersion) }));
  const body = Buffer.from(stringifyJson(aggregatedDocument(items)));
  sendAggregated(request, body, `"${digest(body)}"`);
}

async function sendGroup(
  request: RequestContext,
  source: DiscoverySource,
  name: string,
  api: Handler,
): Promise<void> {
  const group = (await source.groups()).find(({ metadata }) => metadata.name === name);
  if (group === undefined) return await api(request);
  const versions = group.versions.map(({ version }) => version);
  await sendDocument(request, groupDocument(apiGroup(name, versions)), { routed: true });
}
