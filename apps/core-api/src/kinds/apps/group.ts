import { controllerRevisions } from './controllerrevisions/kind.ts';
import { daemonSets } from './daemonsets/kind.ts';
import { deployments } from './deployments/kind.ts';
import { replicaSets } from './replicasets/kind.ts';
import { statefulSets } from './statefulsets/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `apps`. */
export const appsGroup: readonly BuiltinKind[] = [
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
];
