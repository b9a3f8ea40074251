import { formatTime, isObject, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';

const label = 'kubernetes.io/legacy-token-last-used';
const day = 24 * 3600 * 1000;

/**
 * Labels the Secret of a token with the day of its last use, once a day. Skips the label after a concurrent
 * change.
 */
export const noteTokenUse =
  ({ store, clock, log }: Pick<ServerDeps, 'store' | 'clock' | 'log'>) =>
  async (secret: KubeObject): Promise<void> => {
    const now = clock.now();
    const { namespace = '', name = '', labels, resourceVersion } = secret.metadata;
    // The clock of another server may be ahead.
    if ([dateOf(now), dateOf(now + day)].includes(labels?.[label] ?? '')) return;
    try {
      const key = `/registry/secrets/${namespace}/${name}`;
      await store.update(key, encodeStored(labelled(secret, now)), Number(resourceVersion));
    } catch (error) {
      if (error instanceof StoreError && ['conflict', 'notFound'].includes(error.code)) return;
      log.warn('failed to record the last use of a token', { namespace, name, error: String(error) });
    }
  };

const dateOf = (time: number): string => formatTime(time).slice(0, 10);

function labelled(secret: KubeObject, now: number): KubeObject {
  const { labels, managedFields = [] } = secret.metadata;
  const others = managedFields.filter((entry) => !isOwn(entry));
  const fields = {
    ...(labels ? {} : { '.': {} }),
    ...ownLabels(managedFields.find(isOwn)),
    [`f:${label}`]: {},
  };
  const own: ManagedFieldsEntry = {
    ...marker,
    time: formatTime(now),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': fields } },
  };
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      labels: { ...labels, [label]: dateOf(now) },
      managedFields: [...others, own],
    },
  };
}

const marker = { manager: 'kube-apiserver', operation: 'Update', apiVersion: 'v1' } as const;

const isOwn = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === marker.manager && operation === marker.operation && !subresource;

/** Returns the labels that the entry owns already. */
function ownLabels(entry: ManagedFieldsEntry | undefined): Record<string, unknown> {
  const metadata = entry?.fieldsV1?.['f:metadata'];
  const labels = isObject(metadata) ? metadata['f:labels'] : undefined;
  return isObject(labels) ? labels : {};
}
