import type { RbacBinding, RbacSubject } from '@annex/auth';
import { deepEqual, type KubeObject } from '@annex/machinery';
import { isProtected, reconciledMetadata } from './reconciled-metadata.ts';

/**
 * Returns the binding with the expected subjects added, or the expected binding if the roleRef differs. Returns the same object if nothing
 * is missing.
 */
export function reconciledBinding(existing: KubeObject, expected: KubeObject): KubeObject {
  if (isProtected(existing)) return existing;
  const { roleRef, subjects } = expected as RbacBinding;
  if (!deepEqual((existing as RbacBinding).roleRef, roleRef)) return expected;
  const own = (existing as RbacBinding).subjects ?? [];
  const missing = (subjects ?? []).filter((subject) => !own.some((other) => sameSubject(other, subject)));
  const metadata = reconciledMetadata(existing, expected);
  if (missing.length === 0 && metadata === existing.metadata) return existing;
  return { ...existing, metadata, subjects: [...own, ...missing] };
}

const sameSubject = (a: RbacSubject, b: RbacSubject): boolean =>
  (['kind', 'apiGroup', 'namespace', 'name'] as const).every(
    (field) => (a[field] ?? '') === (b[field] ?? ''),
  );
