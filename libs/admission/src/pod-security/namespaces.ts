import { deepEqual, invalid, type KubeObject } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';
import type { PodSecurityConfiguration } from './configuration.ts';
import {
  isStricter,
  labelPrefix,
  levelText,
  type LevelVersion,
  modes,
  policyOf,
  type PodSecurityPolicy,
  sameLevel,
} from './levels.ts';
import { type PodLike, podOf } from './pod.ts';
import { violations } from './standards.ts';

type ListPods = (namespace: string) => Promise<readonly KubeObject[]>;

/** Refuses invalid labels, and warns of existing pods that violate a stricter level. */
export async function validateNamespace(
  { kind, operation, object, oldObject, name, request }: AdmissionAttributes,
  configuration: PodSecurityConfiguration,
  list: ListPods,
): Promise<void> {
  const { defaults, exemptions } = configuration;
  const labels = object?.metadata.labels ?? {};
  const { policy, errors } = policyOf(labels, defaults);
  const old = oldObject && policyOf(oldObject.metadata.labels ?? {}, defaults);
  if (errors.length > 0 && (old === undefined || !deepEqual(errors, old.errors))) {
    throw invalid(kind, name, errors);
  }
  if (old !== undefined && !isTightened(policy.enforce, old.policy.enforce)) return;
  if (exemptions.namespaces.includes(name)) {
    const warning = exemptWarning(name, policy, defaults, labels);
    if (warning !== undefined) request.warnings.push(warning);
  } else if (operation === 'UPDATE') {
    request.warnings.push(...podWarnings(name, policy.enforce, await list(name), exemptions.runtimeClasses));
  }
}

/** Returns false if the new level admits all pods that the old one admitted. */
const isTightened = (now: LevelVersion, before: LevelVersion): boolean =>
  !sameLevel(now, before) &&
  now.level !== 'privileged' &&
  (now.version !== before.version || isStricter(now.level, before.level));

function exemptWarning(
  namespace: string,
  policy: PodSecurityPolicy,
  defaults: PodSecurityPolicy,
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const isPrivileged = (one: LevelVersion) => one.level === 'privileged';
  const isDefault = modes.every(
    (mode) =>
      (isPrivileged(policy[mode]) && isPrivileged(defaults[mode])) || sameLevel(policy[mode], defaults[mode]),
  );
  if (isDefault || modes.every((mode) => isPrivileged(policy[mode]))) return undefined;
  const isSet = (label: string) => Object.hasOwn(labels, labelPrefix + label);
  const set = modes
    .filter((mode) => !isPrivileged(policy[mode]) && (isSet(mode) || isSet(`${mode}-version`)))
    .map((mode) => `${mode}=${levelText(policy[mode])}`)
    .join(', ');
  return `namespace ${JSON.stringify(namespace)} is exempt from Pod Security, and the policy (${set}) will be ignored`;
}

/** The maximum number of pods of a namespace that are checked when its level changes. */
const podSampleSize = 3000;

function podWarnings(
  namespace: string,
  enforce: LevelVersion,
  pods: readonly KubeObject[],
  exemptClasses: readonly string[],
): string[] {
  const isExempt = ({ spec }: PodLike) => exemptClasses.includes(spec.runtimeClassName ?? '');
  const checked = oneOfEachController(pods.filter((pod) => !isExempt(pod as unknown as PodLike)));
  const found = checked.slice(0, podSampleSize).flatMap((pod) => {
    const like = podOf['/pods']?.(pod);
    const reasons = like === undefined ? [] : violations(enforce, like).map(({ reason }) => reason);
    return reasons.length === 0 ? [] : [{ name: pod.metadata.name ?? '', why: reasons.join(', ') }];
  });
  const byReason = Map.groupBy(found, ({ why }) => why);
  const lines = [...byReason].map(([why, some]) => `${someNames(some.map(({ name }) => name))}: ${why}`);
  const shown = JSON.stringify(namespace);
  return [
    ...(checked.length > podSampleSize
      ? [
          `new PodSecurity enforce level only checked against the first ${podSampleSize} of ${checked.length} existing pods`,
        ]
      : []),
    ...(lines.length > 0
      ? [
          `existing pods in namespace ${shown} violate the new PodSecurity enforce level "${levelText(enforce)}"`,
        ]
      : []),
    ...lines.sort(),
  ];
}

function someNames(names: readonly string[]): string {
  const [first = ''] = [...names].sort();
  const others = names.length - 1;
  return others === 0 ? first : `${first} (and ${others} other pod${others === 1 ? '' : 's'})`;
}

/** Sorts the first pod of each controller before the others, which are probably like it. */
function oneOfEachController(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const [first, others]: [KubeObject[], KubeObject[]] = [[], []];
  for (const pod of pods) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (uid !== undefined && seen.has(uid)) others.push(pod);
    else first.push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}
