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
  const kept: OwnerReference[] = [];
  // There may be tens of thousands of owners: texts make duplicates quick to find.
  const byText = new Map<string, OwnerReference>();
  const uids: string[] = [];
  for (const owner of owners) {
    const text = `${owner.uid}\n${owner.name}\n${owner.kind}\n${owner.apiVersion}\n${owner.controller}\n${owner.blockOwnerDeletion}`;
    const other = byText.get(text);
    // Names with line breaks can have the same text without being equal.
    if (other !== undefined && ownerFields.every((field) => owner[field] === other[field])) {
      uids.push(owner.uid);
      continue;
    }
    byText.set(text, owner);
    kept.push(owner);
  }
  if (uids.length === 0) return;
  metadata.ownerReferences = kept;
  const when = found === 'as sent' ? '' : ' after mutating admission happens';
  request.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`,
  );
}
