import type { Client } from '@annex/client';
import { isReason } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { patiently } from './patient-client.ts';
import { type Definition, definitions, isMixed, storageVersion } from './stored-resource.ts';

/**
 * Says in `status.storedVersions` that all objects are stored in the storage version, once they are. Throws where the
 * definition changed since `before`: objects may have been stored in a third version meanwhile.
 */
export async function confirmStoredVersion(client: Client, before: Definition): Promise<void> {
  const { name = '', uid, generation } = before.metadata;
  for (;;) {
    const now = await patiently<Definition>(client, { path: `${definitions}/${name}` });
    if (now.metadata.uid !== uid || now.metadata.generation !== generation) {
      throw new OperatorError('RESOURCE_UNUSABLE', `${name} was changed while its objects were migrated`);
    }
    if (!isMixed(now)) return;
    const { resourceVersion } = now.metadata;
    const body = { metadata: { resourceVersion }, status: { storedVersions: [storageVersion(now)] } };
    try {
      await client.json({
        method: 'PATCH',
        path: `${definitions}/${name}/status?fieldManager=annex-migrate`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body,
      });
      return;
    } catch (error) {
      // Somebody else wrote: whether it is still true is looked at again.
      if (!isReason(error, 'Conflict')) throw error;
    }
  }
}
