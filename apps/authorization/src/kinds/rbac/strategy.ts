import type { Strategy } from '@annex/kinds';
import { nameIsPathSegment } from '@annex/machinery';

/** Roles and bindings may have any name that is a path segment. */
export const rbacStrategy: Strategy = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validateName: nameIsPathSegment,
};
