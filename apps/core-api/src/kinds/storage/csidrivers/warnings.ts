import { deepEqual } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import type { Warnings } from '../../shared/warnings.ts';

/** Warns about tokens that the driver receives in the context of a volume, where they may be logged. */
export const driverWarnings: Warnings = (driver, old) => {
  const { tokenRequests, serviceAccountTokenInSecrets } = childOf(driver, 'spec');
  const isSet = objectsOf(tokenRequests).length > 0 && (serviceAccountTokenInSecrets ?? null) === null;
  if (!isSet) return [];
  const before = old && childOf(old, 'spec').tokenRequests;
  if (old !== undefined && deepEqual(tokenRequests ?? null, before ?? null)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
};
