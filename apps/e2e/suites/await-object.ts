import type { Client } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';
import { patienceMs } from './patience.ts';

/**
 * Resolves to the object, or to `undefined`, as soon as it matches: it is read once and then watched. Rejects with its last state after a
 * timeout.
 */
export async function awaitObject(
  client: Client,
  collection: string,
  name: string,
  wanted: (object: KubeObject | undefined) => boolean,
  withinMs = patienceMs,
): Promise<KubeObject | undefined> {
  const signal = AbortSignal.timeout(withinMs);
  const path = `${collection}?fieldSelector=metadata.name%3D${name}`;
  const list = await client.json<{ metadata: { resourceVersion: string }; items: KubeObject[] | null }>({
    path,
  });
  let last = list.items?.[0];
  if (wanted(last)) return last;
  const { resourceVersion } = list.metadata;
  for await (const { type, object } of client.watch<KubeObject>(path, { resourceVersion, signal })) {
    last = type === 'DELETED' ? undefined : object;
    if (wanted(last)) return last;
  }
  throw new Error(`${collection}/${name} did not reach the expected state; it is ${JSON.stringify(last)}`);
}

export const isGone = (object: KubeObject | undefined): boolean => object === undefined;
export const isThere = (object: KubeObject | undefined): boolean => object !== undefined;

/** Resolves to the object; `undefined` if it does not exist. */
export async function findObject(client: Client, path: string): Promise<KubeObject | undefined> {
  try {
    return await client.json<KubeObject>({ path });
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
