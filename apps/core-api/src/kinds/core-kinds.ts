import { builtinKinds, type ResourceKind } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';
import { admissionRegistrationGroup } from './admissionregistration/group.ts';
import { appsGroup } from './apps/group.ts';
import { authenticationGroup } from './authentication/group.ts';
import { autoscalingGroup } from './autoscaling/group.ts';
import { batchGroup } from './batch/group.ts';
import { certificatesGroup } from './certificates/group.ts';
import { coordinationGroup } from './coordination/group.ts';
import { coreGroup } from './core/group.ts';
import { discoveryGroup } from './discovery/group.ts';
import { eventsGroup } from './events/group.ts';
import { flowControlGroup } from './flowcontrol/group.ts';
import { networkingGroup } from './networking/group.ts';
import { nodeGroup } from './node/group.ts';
import { policyGroup } from './policy/group.ts';
import { resourceGroup } from './resource/group.ts';
import { schedulingGroup } from './scheduling/group.ts';
import { storageGroup } from './storage/group.ts';
import { type BuiltinKind, extendedKind } from './builtin-kind.ts';
import type { CoreKindsConfig } from './config.ts';

/** Groups that other apps serve. */
const elsewhere = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authorization.k8s.io',
  'rbac.authorization.k8s.io',
]);

/** True for the groups that this app serves. */
export const isCoreApiGroup = (group: string): boolean => !elsewhere.has(group);

/** Returns the kinds of this app with special behavior, by group. */
export const specialKinds = (deps: ServerDeps, config: CoreKindsConfig): readonly BuiltinKind[] => [
  ...admissionRegistrationGroup,
  ...appsGroup,
  ...authenticationGroup(deps, config),
  ...autoscalingGroup,
  ...batchGroup,
  ...certificatesGroup(deps),
  ...coordinationGroup,
  ...coreGroup(deps, config),
  ...discoveryGroup,
  ...eventsGroup(config),
  ...flowControlGroup,
  ...networkingGroup,
  ...nodeGroup,
  ...policyGroup,
  ...resourceGroup(deps),
  ...schedulingGroup,
  ...storageGroup,
];

/** Returns every built-in kind of this app. */
export function coreKinds(deps: ServerDeps, config: CoreKindsConfig): ResourceKind[] {
  return builtinKinds(isCoreApiGroup, specialKinds(deps, config).map(extendedKind));
}
