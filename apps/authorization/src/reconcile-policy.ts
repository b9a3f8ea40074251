import type { KindRegistry } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';
import { bootstrapPolicy, type PolicyObject } from './bootstrap-policy.ts';
import { earlierPolicy } from './earlier-policy.ts';
import { PolicyWriter } from './policy-writer.ts';
import { reconciledBinding } from './reconciled-binding.ts';
import { reconciledRole } from './reconciled-role.ts';

/**
 * Creates missing default roles and bindings, and adds missing rules and subjects to existing ones, all concurrently. Additions of users
 * are kept.
 */
export async function reconcilePolicy(deps: ServerDeps, kinds: KindRegistry): Promise<void> {
  const writer = new PolicyWriter(deps, kinds);
  const [policy] = await Promise.all([bootstrapPolicy(), writer.ready()]);
  const earlier = earlierPolicy((resource, name) => writer.read(resource, { name }), policy);
  await writer.create(earlier);
  if (earlier.length > 0) await writer.ready();
  const isMissing = ({ resource, object }: PolicyObject) =>
    writer.read(resource, object.metadata) === undefined;
  const existing = policy.filter((expected) => !isMissing(expected));
  await Promise.all([
    writer.create(policy.filter(isMissing)),
    ...existing.map((expected) => reconcile(writer, expected)),
  ]);
}

async function reconcile(writer: PolicyWriter, expected: PolicyObject): Promise<void> {
  const { resource, object } = expected;
  const existing = writer.read(resource, object.metadata);
  if (existing === undefined) return;
  const wanted = 'roleRef' in object ? reconciledBinding(existing, object) : reconciledRole(existing, object);
  if (wanted === existing) return;
  if (wanted !== object) return await writer.update({ resource, object: wanted });
  // The roleRef of a binding is immutable: create it again.
  await writer.delete({ resource, object: existing });
  await writer.create([expected]);
}
