import type { Client } from '@annex/client';
import { isReason, type ObjectMeta, StatusError } from '@annex/machinery';
import { jsonWithRetries } from './retrying-client.ts';
import type { StoredResource } from './stored-resource.ts';

/** Options of a rewrite. */
export interface RewriteOptions {
  dryRun: boolean;
  pageSize: number;
  parallel: number;
  /** Called after each page. */
  onPage?(progress: Progress): void;
}

/** The number of objects by result so far. */
export interface Progress {
  /** Rewritten; with a dry run, accepted by the server. */
  written: number;
  /** Objects that the server did not have to change. */
  unchanged: number;
  /** Objects that were deleted before they were rewritten. */
  deleted: number;
  failures: { object: string; message: string }[];
  /** The remaining item count of the server's list, if it has one. */
  remaining?: number;
}

interface Page {
  metadata: { continue?: string; remainingItemCount?: number };
  items: Item[];
}
interface Item {
  metadata: ObjectMeta;
}

/** Requests metadata only: the server does not send the contents. */
const asMetadata = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;

/**
 * Lets the server store every object of a resource again, page by page, with a patch without changes. Works like the controller of
 * StorageVersionMigration, and cannot overwrite concurrent writes.
 */
export async function rewriteObjects(
  client: Client,
  resource: StoredResource,
  options: RewriteOptions,
): Promise<Progress> {
  const progress: Progress = { written: 0, unchanged: 0, deleted: 0, failures: [] };
  for await (const page of pages(client, resource, options.pageSize)) {
    const waiting = page.items.values();
    const work = async (): Promise<void> => {
      for (const item of waiting) await rewrite(client, resource, item, options, progress);
    };
    await Promise.all(Array.from({ length: options.parallel }, work));
    progress.remaining = page.metadata.remainingItemCount ?? 0;
    options.onPage?.(progress);
  }
  return progress;
}

async function* pages(client: Client, { base, plural }: StoredResource, limit: number): AsyncGenerator<Page> {
  let token = '';
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(token ? { continue: token } : {}) });
    const path = `${base}/${plural}?${query}`;
    const headers = { accept: asMetadata('PartialObjectMetadataList') };
    try {
      const page = await jsonWithRetries<Page>(client, { path, headers });
      yield page;
      token = page.metadata.continue ?? '';
    } catch (error) {
      // The list took longer than the server keeps its revision: continue with the current state.
      if (!isReason(error, 'Expired')) throw error;
      token = String((error as StatusError).status.metadata?.continue ?? '');
    }
  } while (token !== '');
}

async function rewrite(
  client: Client,
  { base, plural }: StoredResource,
  { metadata: { namespace, name = '', resourceVersion } }: Item,
  { dryRun }: RewriteOptions,
  progress: Progress,
): Promise<void> {
  const place = namespace === undefined ? base : `${base}/namespaces/${namespace}`;
  try {
    const { metadata } = await jsonWithRetries<Item>(client, {
      method: 'PATCH',
      path: `${place}/${plural}/${encodeURIComponent(name)}?fieldManager=annex-migrate${dryRun ? '&dryRun=All' : ''}`,
      headers: {
        'content-type': 'application/merge-patch+json',
        accept: asMetadata('PartialObjectMetadata'),
      },
      body: '{}',
    });
    if (dryRun || metadata.resourceVersion !== resourceVersion) progress.written++;
    else progress.unchanged++;
  } catch (error) {
    if (isReason(error, 'NotFound')) return void progress.deleted++;
    if (!(error instanceof StatusError) || concernsAll.has(error.code)) throw error;
    const object = namespace === undefined ? name : `${namespace}/${name}`;
    progress.failures.push({ object, message: error.message });
  }
}

/** Statuses that concern the user or the whole resource, so every object would get them. */
const concernsAll = new Set([401, 403, 405, 415]);
