import { once } from 'node:events';
import { readRecording, type Target } from '@annex/testkit';
import type { Case } from './cases.ts';

const namespacePath = /^\/api\/v1\/namespaces\/([^/?]+)$/;

/**
 * Finishes the deletion of the namespaces that a recording deletes, as no controller of its server does: nothing could be created in them when it
 * is played again.
 */
export async function removeDeletedNamespaces(played: Case, target: Target): Promise<void> {
  for (const { request } of readRecording(played.path).steps) {
    const name = request?.method === 'DELETE' ? namespacePath.exec(request.path)?.[1] : undefined;
    if (name === undefined) continue;
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: [] },
    });
    const path = `/api/v1/namespaces/${name}/finalize`;
    const headers = { 'Content-Type': 'application/json' };
    const response = await target.open({ as: 'admin', method: 'PUT', path, headers, body });
    await once(response.resume(), 'end');
  }
}
