import { runtimeClasses } from './runtimeclasses/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `node.k8s.io`. */
export const nodeGroup: readonly BuiltinKind[] = [runtimeClasses];
