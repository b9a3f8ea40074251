import type { Client } from '@annex/client';
import { isReason } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { jsonWithRetries } from './retrying-client.ts';
import { type Crd, crdsPath, isMixed, storageVersion } from './stored-resource.ts';

/**
 * Sets `status.storedVersions` to the storage version after all objects are rewritten. Throws if the CustomResourceDefinition changed since
 * `before`: objects may have been stored in a third version since then.
 */
export async function confirmStoredVersion(client: Client, before: Crd): Promise<void> {
  const { name = '', uid, generation } = before.metadata;
  for (;;) {
    const now = await jsonWithRetries<Crd>(client, { path: `${crdsPath}/${name}` });
    if (now.metadata.uid !== uid || now.metadata.generation !== generation) {
      throw new OperatorError('RESOURCE_UNUSABLE', `${name} was changed while its objects were migrated`);
    }
    if (!isMixed(now)) return;
    const { resourceVersion } = now.metadata;
    const body = { metadata: { resourceVersion }, status: { storedVersions: [storageVersion(now)] } };
    try {
      await client.json({
        method: 'PATCH',
        path: `${crdsPath}/${name}/status?fieldManager=annex-migrate`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      });
      return;
    } catch (error) {
      // After a conflict, check again whether the CustomResourceDefinition is unchanged.
      if (!isReason(error, 'Conflict')) throw error;
    }
  }
}
