import type { Authorizer } from '@annex/auth';
import type { AdmissionPlugin } from './admission/plugin.ts';
import type { ServerDeps } from './app.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { claimResize } from './plugins/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-classes.ts';
import { defaultTolerationSeconds } from './plugins/default-tolerations.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { priorityAdmission } from './plugins/priority.ts';
import { runtimeClassAdmission } from './plugins/runtime-class.ts';
import { storageObjectInUseProtection } from './plugins/storage-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes.ts';
import { mutatingPolicies } from './policies/mutating-policies.ts';
import { validatingPolicies } from './policies/validating-policies.ts';
import { resourceQuotaAdmission } from './quota/quota-admission.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

/** The built-in admission plugins, in the order of their execution: a quota is charged last, when nothing else refuses. */
export const admissionPlugins = (deps: ServerDeps, authorizer: Authorizer): AdmissionPlugin[] => [
  namespaceLifecycle(deps),
  limitRanger(deps),
  taintNodesByCondition,
  priorityAdmission(deps),
  defaultTolerationSeconds,
  defaultStorageClass(deps),
  storageObjectInUseProtection,
  claimResize(deps),
  runtimeClassAdmission(deps),
  defaultIngressClass(deps),
  mutatingPolicies(deps, authorizer),
  mutatingWebhooks(deps, authorizer),
  validatingPolicies(deps, authorizer),
  validatingWebhooks(deps, authorizer),
  resourceQuotaAdmission(deps),
];
