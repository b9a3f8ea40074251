import type { Default } from '@annex/kinds';
import { getOwn, setOwn } from '@annex/machinery';

/** Sets fields that are absent or zero. */
export const zeroMeansAbsent =
  (fields: Record<string, number>): Default =>
  (value) => {
    for (const [field, fallback] of Object.entries(fields))
      if (!getOwn(value, field)) setOwn(value, field, fallback);
  };
