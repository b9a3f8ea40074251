import type { KubeObject } from '@annex/machinery';
import { measureUsage, type ResourceList, type ResourceQuota } from '@annex/admission';
import { type Api, metadataOnly } from '../api.ts';
import { resourcePath } from '../discovery/resource-discovery.ts';
import type { MeasuredResource } from './quota-monitors.ts';

/** Resolves to the amounts that the stored objects of a resource use. */
export async function usedAmounts(
  api: Api,
  { resource, evaluator }: MeasuredResource,
  quota: ResourceQuota,
  now: number,
): Promise<ResourceList> {
  const path = resourcePath(resource, quota.metadata.namespace);
  const objects = evaluator.uniform ? await countObjects(api, path) : await listObjects(api, path);
  return measureUsage(quota, evaluator, objects, now);
}

interface List {
  metadata: { continue?: string; remainingItemCount?: number };
  items: KubeObject[] | null;
}

async function* pages(api: Api, path: string, headers: Record<string, string>, sizes: readonly number[]) {
  let token: string | undefined;
  for (let i = 0; i === 0 || token; i++) {
    const query = new URLSearchParams({ limit: String(sizes[i] ?? sizes.at(-1)) });
    if (token) query.set('continue', token);
    const { items, metadata } = await api.json<List>({ path: `${path}?${query}`, headers });
    yield { items: items ?? [], remaining: metadata.remainingItemCount };
    token = metadata.continue;
  }
}

async function listObjects(api: Api, path: string): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const { items } of pages(api, path, {}, [500])) found.push(...items);
  return found;
}

/** Counts objects with a list of limit 1: most servers return the remaining item count. */
async function countObjects(api: Api, path: string): Promise<number> {
  let count = 0;
  for await (const { items, remaining } of pages(api, path, metadataOnly.list, [1, 500])) {
    count += items.length;
    if (remaining !== undefined) return count + Number(remaining);
  }
  return count;
}
