import { appArmorProfile } from './checks/app-armor.ts';
import { defaultCapabilities, noCapabilities } from './checks/capabilities.ts';
import { type CheckPod, exceptOwnUsers, exceptWindows, type Violation } from './checks/check.ts';
import { hostHandlers, hostNamespaces, hostPathVolumes, hostPorts } from './checks/host.ts';
import { privileged, privilegeEscalation, procMount, windowsHostProcess } from './checks/privileges.ts';
import { seLinuxOptions, seLinuxTypes, seLinuxTypesWithEngine } from './checks/se-linux.ts';
import { seccompAnnotations, seccompProfile, seccompTypes } from './checks/seccomp.ts';
import { sysctls } from './checks/sysctls.ts';
import { runAsNonRoot, runAsUser } from './checks/users.ts';
import { volumeTypes } from './checks/volumes.ts';
import type { LevelVersion } from './levels.ts';
import type { PodLike } from './pod.ts';

/** A rule of a level, with its check for each version of Kubernetes since 1.`since`. */
interface Standard {
  id: string;
  versions: readonly (readonly [since: number, check: CheckPod])[];
  /** The baseline rule that it replaces. */
  overrides?: string;
}

/** The Pod Security Standards. Each list is in the order in which violations are reported. */
const baseline: readonly Standard[] = [
  { id: 'appArmorProfile', versions: [[0, appArmorProfile]] },
  { id: 'capabilities_baseline', versions: [[0, defaultCapabilities]] },
  { id: 'hostNamespaces', versions: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', versions: [[0, hostPathVolumes]] },
  { id: 'hostPorts', versions: [[0, hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', versions: [[34, hostHandlers]] },
  { id: 'privileged', versions: [[0, privileged]] },
  {
    id: 'procMount',
    versions: [
      [0, procMount],
      [35, exceptOwnUsers(procMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      [0, seLinuxOptions(seLinuxTypes)],
      [31, seLinuxOptions(seLinuxTypesWithEngine)],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      [0, seccompAnnotations],
      [19, seccompTypes],
    ],
  },
  { id: 'sysctls', versions: [0, 27, 29, 32].map((version) => [version, sysctls(version)] as const) },
  { id: 'windowsHostProcess', versions: [[0, windowsHostProcess]] },
];

const restricted: readonly Standard[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      [8, privilegeEscalation],
      [25, exceptWindows(privilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      [22, noCapabilities],
      [25, exceptWindows(noCapabilities)],
    ],
    overrides: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', versions: [[35, procMount]], overrides: 'procMount' },
  { id: 'restrictedVolumes', versions: [[0, volumeTypes]], overrides: 'hostPathVolumes' },
  {
    id: 'runAsNonRoot',
    versions: [
      [0, runAsNonRoot],
      [35, exceptOwnUsers(runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      [23, runAsUser],
      [35, exceptOwnUsers(runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      [19, seccompProfile],
      [25, exceptWindows(seccompProfile)],
    ],
    overrides: 'seccompProfile_baseline',
  },
];

const known = new Map<string, readonly CheckPod[]>();

/** Returns the checks of a level, which are selected once; none for `privileged`. */
function checksOf({ level, version }: LevelVersion): readonly CheckPod[] {
  if (level === 'privileged') return [];
  const newest = Math.max(
    ...[...baseline, ...restricted].flatMap(({ versions }) => versions.map(([since]) => since)),
  );
  const at = Math.min(version, newest);
  const key = `${level}:${at}`;
  let checks = known.get(key);
  if (checks === undefined)
    known.set(key, (checks = level === 'baseline' ? inForce(baseline, at) : strict(at)));
  return checks;
}

function strict(version: number): CheckPod[] {
  const own = restricted.filter(({ versions }) => versions.some(([since]) => since <= version));
  const overridden = own.map(({ overrides }) => overrides);
  return [
    ...inForce(
      baseline.filter(({ id }) => !overridden.includes(id)),
      version,
    ),
    ...inForce(own, version),
  ];
}

const inForce = (standards: readonly Standard[], version: number): CheckPod[] =>
  standards.flatMap(({ versions }) => {
    const check = versions.findLast(([since]) => since <= version)?.[1];
    return check === undefined ? [] : [check];
  });

/**
 * Returns the violations of a level by a pod. Source: "Pod Security Standards" of the Kubernetes
 * documentation.
 */
export const violations = (level: LevelVersion, pod: PodLike): Violation[] =>
  checksOf(level).flatMap((check) => check(pod) ?? []);

/** Formats violations with their details on one line. */
export const violationsText = (found: readonly Violation[]): string =>
  found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
