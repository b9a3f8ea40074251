import { type FieldError, FieldPath, getOwn, type KubeObject, tableOf } from '@annex/machinery';
import type { KindExtension } from '@annex/kinds';
import { admissionKinds } from '../strategies/admission-kinds.ts';
import { certificateRequest } from './certificates/certificatesigningrequests/validation.ts';
import { cronJob, cronJobName, job, jobName, jobSelector } from './batch/jobs/validation.ts';
import { ingress, ingressClassOnce } from './networking/ingresses/validation.ts';
import { frozenErrors, frozenFields, otherChecks } from '../validation/others.ts';
import { type Check, childOf } from './shared/checks.ts';
import {
  daemonSet,
  deployment,
  immutableField,
  podTemplate,
  replicaSet,
  replicationController,
  statefulSet,
  statefulSetChanges,
} from './shared/pod-spec/workloads.ts';
import { newPod, podSpec } from './shared/pod-spec/validation.ts';

/** What is checked of an object, and of a change. */
export interface Checks {
  object: Check;
  create?: (object: KubeObject) => FieldError[];
  update?: (object: KubeObject, old: KubeObject) => FieldError[];
}

const keepsSelector = (object: KubeObject, old: KubeObject) => immutableField(object, old, 'selector');

const workloads = tableOf<Checks>({
  '/pods': {
    object: (value, at) => podSpec(childOf(value, 'spec'), at.child('spec')),
    create: newPod,
  },
  '/podtemplates': { object: (value, at) => podTemplate(childOf(value, 'template'), at.child('template')) },
  '/replicationcontrollers': { object: replicationController },
  'apps/daemonsets': { object: daemonSet, update: keepsSelector },
  'apps/deployments': { object: deployment, update: keepsSelector },
  'apps/replicasets': { object: replicaSet, update: keepsSelector },
  'apps/statefulsets': { object: statefulSet, update: statefulSetChanges },
  'batch/cronjobs': { object: cronJob, create: cronJobName },
  'certificates.k8s.io/certificatesigningrequests': {
    object: () => [],
    create: (request) => certificateRequest(request, FieldPath.root),
  },
  'networking.k8s.io/ingresses': {
    object: (value, at) => ingress(childOf(value, 'spec'), at.child('spec')),
    create: ingressClassOnce,
  },
  'batch/jobs': {
    object: job,
    create: (object) => [...jobSelector(object), ...jobName(object)],
    update: (object, old) => [...keepsSelector(object, old), ...jobChanges(object, old)],
  },
});

/** The pods of a Job do not change while it runs. */
function jobChanges(object: KubeObject, old: KubeObject): FieldError[] {
  return immutableField(object, old, 'template');
}

/** The checks of a kind; `undefined` where there are none. */
export function checksOf(group: string, resource: string): Checks | undefined {
  const key = `${group}/${resource}`;
  const known = workloads.get(key) ?? getOwn(admissionKinds, key);
  if (known !== undefined) return known;
  const object = getOwn(otherChecks, key);
  const frozen = getOwn(frozenFields, key);
  if (object === undefined && frozen === undefined) return undefined;
  return {
    object: object ?? (() => []),
    ...(frozen ? { update: (now: KubeObject, old: KubeObject) => frozenErrors(now, old, frozen) } : {}),
  };
}

const none: Checks = { object: () => [] };

/** An extension with checks run before its own. */
export function withChecks(extension: KindExtension, checks: Checks = none): KindExtension {
  const { validateCreate, validateUpdate } = extension.strategy ?? {};
  return {
    ...extension,
    strategy: {
      ...extension.strategy,
      validateCreate: async (object, ctx) => [
        ...checks.object(object, FieldPath.root),
        ...(checks.create?.(object) ?? []),
        ...((await validateCreate?.(object, ctx)) ?? []),
      ],
      validateUpdate: async (object, old, ctx) => [
        ...checks.object(object, FieldPath.root),
        ...(checks.update?.(object, old) ?? []),
        ...((await validateUpdate?.(object, old, ctx)) ?? []),
      ],
    },
  };
}
