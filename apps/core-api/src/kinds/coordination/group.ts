import { leases } from './leases/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `coordination.k8s.io`. */
export const coordinationGroup: readonly BuiltinKind[] = [leases];
