import type { KubeObject } from '@annex/machinery';

const systemFields = [
  'creationTimestamp',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** Removes the fields of a new object that only the server sets. */
export function wipeSystemFields({ metadata }: KubeObject): void {
  for (const field of systemFields) if (field in metadata) delete metadata[field];
}
