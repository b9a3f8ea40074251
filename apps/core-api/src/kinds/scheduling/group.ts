import { priorityClasses } from './priorityclasses/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `scheduling.k8s.io`. */
export const schedulingGroup: readonly BuiltinKind[] = [priorityClasses];
