import { randomUUID } from 'node:crypto';
import { withCreator } from '@annex/kinds';
import { deepEqual, formatTime, getOwn, type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import { StoreError } from '@annex/storage';
import type { ServerDeps } from './app.ts';
import { encodeStored } from './stored-objects.ts';

/** An object that every server creates. */
export interface RequiredObject {
  key: string;
  object: KubeObject;
  /** The fields that this server owns and restores; all other fields of an existing object stay. */
  own: readonly string[];
  /** The fields that this server manages, as in `managedFields`, if they are not all fields except for the status. */
  managed?: JsonObject;
}

const manager = 'kube-apiserver';

/**
 * Creates an object that is missing. Of an existing object, restores only the fields that this server owns.
 */
export async function ensureObject(
  { store, clock }: Pick<ServerDeps, 'store' | 'clock'>,
  { key, object, own, managed }: RequiredObject,
): Promise<void> {
  const { entry } = await store.get(key);
  try {
    if (entry === undefined) {
      const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: formatTime(clock.now()) };
      const created = withCreator({ ...object, metadata }, { manager, now: clock.now() }, managed);
      await store.create(key, encodeStored(created));
      return;
    }
    const found = parseJson(Buffer.from(entry.value).toString()) as unknown as KubeObject;
    if (own.every((field) => deepEqual(getOwn(found, field), getOwn(object, field)))) return;
    const changed = { ...found, ...Object.fromEntries(own.map((field) => [field, getOwn(object, field)])) };
    await store.update(key, encodeStored(changed), entry.modRevision);
  } catch (error) {
    // Another replica has made the same write first.
    if (!(error instanceof StoreError && (error.code === 'exists' || error.code === 'conflict'))) throw error;
  }
}
