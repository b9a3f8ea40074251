import { recordedGroupVersions } from '@annex/kinds';
import { builtinStoragePrefix } from '@annex/machinery';
import { type Logger, OperatorError } from '@annex/runtime';
import { type Entry, type Store, StoreError } from '@annex/storage';

/** RBAC objects are in every store, and are moved last: while one has its old key, the store is not migrated. */
const lastGroup = 'rbac.authorization.k8s.io';
const pageSize = 1000;

/**
 * Moves objects with the keys of earlier versions, `/registry/<group>/<resource>/`, to the keys of kube-apiserver. Reads one entry of a
 * store that has none. Another process may do the same, and a migration that was interrupted continues. Throws
 * OperatorError if an object cannot be decrypted.
 */
export async function migrateKeys(store: Store, log: Logger): Promise<void> {
  const { entries } = await store.list(`/registry/${lastGroup}/`, { limit: 1 });
  if (entries.length === 0) return;
  log.info('the objects of built-in kinds move to the keys of kube-apiserver');
  let moved = 0;
  for (const [before, after] of changedPrefixes()) moved += await movePrefix(store, before, after);
  log.info('the objects of built-in kinds have the keys of kube-apiserver', { moved });
}

/** The prefixes that changed, as `[before, after]`; those of RBAC are the last. */
function changedPrefixes(): [string, string][] {
  const prefixes = new Map<string, string>();
  const groupVersions = recordedGroupVersions();
  const last = groupVersions.filter(({ group }) => group === lastGroup);
  for (const { group, resources } of [...groupVersions, ...last]) {
    for (const { resource } of resources) {
      const before = group === '' ? `/registry/${resource}/` : `/registry/${group}/${resource}/`;
      const after = builtinStoragePrefix(group, resource);
      prefixes.delete(before);
      if (before !== after) prefixes.set(before, after);
    }
  }
  return [...prefixes];
}

async function movePrefix(store: Store, before: string, after: string): Promise<number> {
  let moved = 0;
  for (let startKey = before, more = true; more;) {
    const page = await store.list(before, { limit: pageSize, startKey });
    for (const entry of page.entries.filter(({ key }) => isBefore(key, before, after))) {
      await move(store, entry, after + entry.key.slice(before.length));
      moved++;
    }
    more = page.more;
    startKey = `${page.entries.at(-1)?.key ?? before}\0`;
  }
  return moved;
}

/** New keys of Services have one more segment than old ones: `services/specs/NAMESPACE/NAME`, `services/NAMESPACE/NAME`. */
const isBefore = (key: string, before: string, after: string): boolean =>
  !after.startsWith(before) || key.slice(before.length).split('/').length === 2;

async function move(store: Store, { key, value, modRevision, unreadable }: Entry, to: string): Promise<void> {
  if (unreadable !== undefined) {
    throw new OperatorError(
      'STORE_NOT_MIGRATED',
      `the object at the key ${key} cannot be read: ${unreadable}`,
    );
  }
  await unlessDone(store.create(to, value));
  await unlessDone(store.delete(key, modRevision));
}

/** Ignores that another process moved the object. */
async function unlessDone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StoreError && ['exists', 'conflict', 'notFound'].includes(error.code)))
      throw error;
  }
}
