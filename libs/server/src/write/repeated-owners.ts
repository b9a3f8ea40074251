import type { OwnerReference } from '@annex/machinery';
import type { WriteContext } from './context.ts';

const ownerFields = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'] as const;

/**
 * Removes duplicate owner references and warns, as kube-apiserver does: from what a client sent, and from what admission or a patch
 * returned.
 */
export function dropRepeatedOwners(
  { object: { metadata }, request }: WriteContext,
  found: 'as sent' | 'after mutating admission',
): void {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const uids: string[] = [];
  for (const owner of owners) {
    const text = textOf(owner);
    if (kept.has(text)) uids.push(owner.uid);
    else kept.set(text, owner);
  }
  if (uids.length === 0) return;
  metadata.ownerReferences = [...kept.values()];
  const when = found === 'as sent' ? '' : ' after mutating admission happens';
  request.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`,
  );
}

/** Returns a text that only equal owners have. There may be tens of thousands of owners: texts make duplicates quick to find. */
function textOf(owner: OwnerReference): string {
  let text = '';
  // A text of this length, and no other one, follows: so fields cannot run into each other.
  for (const field of ownerFields) {
    const value = String(owner[field]);
    text += `${value.length}:${value}`;
  }
  return text;
}
