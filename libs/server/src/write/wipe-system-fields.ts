import type { KubeObject } from '@annex/machinery';

const systemFields = [
  'creationTimestamp',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** What only the server may say of a new object counts as not sent. */
export function wipeSystemFields({ metadata }: KubeObject): void {
  for (const field of systemFields) if (field in metadata) delete metadata[field];
}
