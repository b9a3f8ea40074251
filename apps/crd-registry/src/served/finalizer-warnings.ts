import { type KubeObject, validateQualifiedName } from '@annex/machinery';

const standard = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Returns warnings for new finalizers whose names may conflict with those of other writers. */
export function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const { finalizers } = object.metadata;
  if (finalizers === undefined || finalizers.length === 0) return [];
  const before = new Set(old?.metadata.finalizers);
  const added = [...new Set(finalizers)].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) =>
    errors(name).map((why) => `metadata.finalizers: ${JSON.stringify(name)}: ${why}`),
  );
}

function errors(name: string): string[] {
  const found = validateQualifiedName(name);
  if (name.includes('/') || standard.has(name)) return found;
  const path = name.includes('.') ? ' including a path (/)' : '';
  const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
  return [...found, advice];
}
