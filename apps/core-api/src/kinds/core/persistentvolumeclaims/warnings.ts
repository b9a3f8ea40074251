import type { FieldPath } from '@annex/machinery';
import { getOwn, type JsonObject } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import { fractional } from '../../shared/warnings.ts';

/** Returns warnings about the spec of a claim. */
export const claimWarnings = (spec: JsonObject, at: FieldPath): string[] => {
  const resources = childOf(spec, 'resources');
  return ['requests', 'limits'].flatMap((bound) =>
    fractional(getOwn(resources, bound), ['storage'], at.child('resources', bound)),
  );
};
