import { flowSchemas } from './flowschemas/kind.ts';
import { priorityLevelConfigurations } from './prioritylevelconfigurations/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `flowcontrol.apiserver.k8s.io`. */
export const flowControlGroup: readonly BuiltinKind[] = [flowSchemas, priorityLevelConfigurations];
