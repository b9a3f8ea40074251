import { nameIsPathSegment } from '@annex/machinery';
import type { BuiltinKind } from '../../builtin-kind.ts';

/** The strategy of events in both groups. */
export const eventStrategy: BuiltinKind['strategy'] = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validateName: nameIsPathSegment,
  metaChecks: { asUpdate: 0, asWhole: 0, standardFinalizers: false },
};
