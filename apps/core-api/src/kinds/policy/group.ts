import { podDisruptionBudgets } from './poddisruptionbudgets/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `policy`. */
export const policyGroup: readonly BuiltinKind[] = [podDisruptionBudgets];
