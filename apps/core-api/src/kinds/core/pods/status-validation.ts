import { isIP } from 'node:net';
import {
  errorsAtOnce,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type KubeObject,
  validateDns1123Subdomain,
  validateQualifiedName,
} from '@annex/machinery';
import { malformedIp } from '../../shared/pod-spec/settings.ts';
import { childOf, objectsOf } from '../../shared/checks.ts';

const { invalid, forbidden } = fieldErrors;
const at = FieldPath.of('status');

/** Checks a new status of a pod, except for the states of its containers. */
export const podStatusErrors = (pod: KubeObject, old: KubeObject): FieldError[] => {
  const [status, before] = [childOf(pod, 'status'), childOf(old, 'status')];
  const isBound = isObject(old.spec) && Boolean(old.spec.nodeName);
  return [
    ...conditions(objectsOf(status.conditions)),
    ...nominated(status.nominatedNodeName, before.nominatedNodeName, isBound),
    ...generation(status, at),
    ...(status.qosClass === before.qosClass
      ? []
      : [invalid(at.child('qosClass'), status.qosClass, 'field is immutable')]),
    ...addresses('podIPs', status, before),
    ...hostAddress(status),
    ...addresses('hostIPs', status, before),
  ];
};

const systemConditions: ReadonlySet<unknown> = new Set(['PodScheduled', 'Ready', 'Initialized']);

const conditions = (all: readonly JsonObject[]): FieldError[] =>
  errorsOfEach(all, (condition, i) => {
    const where = at.child('conditions').index(i);
    const { type } = condition;
    const errors = systemConditions.has(type) ? [] : validateQualifiedName(String(type ?? ''));
    return [...generation(condition, where), ...errors.map((why) => invalid(where.child('Type'), type, why))];
  });

const generation = ({ observedGeneration }: JsonObject, where: FieldPath): FieldError[] =>
  Number(observedGeneration ?? 0) < 0
    ? [invalid(where.child('observedGeneration'), observedGeneration, 'must be a non-negative integer')]
    : [];

function nominated(name: unknown, before: unknown, isBound: boolean): FieldError[] {
  if (!name || name === before) return [];
  const where = at.child('nominatedNodeName');
  const errors = validateDns1123Subdomain(String(name)).map((why) => invalid(where, name, why));
  const why = 'may not be set on pods that are already bound to a node';
  return isBound ? [...errors, forbidden(where, why)] : errors;
}

function addresses(field: 'podIPs' | 'hostIPs', status: JsonObject, before: JsonObject): FieldError[] {
  const where = at.child(field);
  const all = objectsOf(status[field]).map(({ ip }) => String(ip ?? ''));
  const known = new Set(objectsOf(before[field]).map(({ ip }) => ip));
  const errors = errorsAtOnce(() =>
    errorsOfEach(all, (ip, i) =>
      known.has(ip) || isIP(ip) !== 0 ? [] : [invalid(where.index(i), ip, malformedIp)],
    ),
  );
  if (all.length < 2 || errors.length > 0) return errors;
  const isPair = all.length === 2 && isIP(all[0] as string) !== isIP(all[1] as string);
  // Errors quote the list with the Go field names.
  const shown = all.map((IP) => ({ IP }));
  return isPair ? [] : [invalid(where, shown, 'may specify no more than one IP for each IP family')];
}

function hostAddress({ hostIP, hostIPs }: JsonObject): FieldError[] {
  const [first] = objectsOf(hostIPs);
  if (first === undefined || (first.ip ?? '') === (hostIP ?? '')) return [];
  return [invalid(at.child('hostIPs').index(0).child('ip'), first.ip, 'must be equal to `hostIP`')];
}
