import { type FieldError, fieldErrors, FieldPath, getOwn } from '@annex/machinery';

/** The levels, from least to most restrictive. */
export const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** The minor version of Kubernetes 1.x that defines a level; `latest` is Infinity. */
export type Version = number;

export interface LevelVersion {
  level: Level;
  version: Version;
}

/** The actions for a violating pod: refuse, record in the audit event, warn. */
export const modes = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof modes)[number];

/** The Pod Security policy of a namespace. */
export type PodSecurityPolicy = Record<Mode, LevelVersion>;

/** An invalid value; the message is that of kube-apiserver. */
export class InvalidValue extends Error {}

export function parseLevel(text: string): Level {
  if ((levels as readonly string[]).includes(text)) return text as Level;
  throw new InvalidValue(`must be one of ${levels.join(', ')}`);
}

const largest = 2n ** 63n - 1n;

export function parseVersion(text: string): Version {
  if (text === 'latest') return Infinity;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  if (minor === undefined || BigInt(minor) > largest) throw new InvalidValue('must be "latest" or "v1.x"');
  return Number(minor);
}

export const levelText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === Infinity ? 'latest' : `v1.${version}`}`;

export const isStricter = (one: Level, other: Level): boolean => levels.indexOf(one) > levels.indexOf(other);

export const sameLevel = (one: LevelVersion, other: LevelVersion): boolean =>
  one.level === other.level && one.version === other.version;

/** The labels of a namespace, and the annotations of an audit event. */
export const labelPrefix = 'pod-security.kubernetes.io/';

/** The levels of invalid labels: pods are refused, without additional audit annotations and warnings. */
const fallbackLevels: Record<Mode, Level> = {
  enforce: 'restricted',
  audit: 'privileged',
  warn: 'privileged',
};

/** Returns the policy of a namespace by its labels, and the errors of the labels. */
export function policyOf(
  labels: Readonly<Record<string, string>>,
  defaults: PodSecurityPolicy,
): { policy: PodSecurityPolicy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = <T>(label: string, parse: (text: string) => T, unset: T, invalid: T): T => {
    const text = getOwn(labels, labelPrefix + label);
    if (text === undefined) return unset;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const path = FieldPath.of('metadata')
        .child('labels')
        .key(labelPrefix + label);
      errors.push(fieldErrors.invalid(path, text, error.message));
      return invalid;
    }
  };
  const policy = Object.fromEntries(
    modes.map((mode) => [
      mode,
      {
        level: read(mode, parseLevel, defaults[mode].level, fallbackLevels[mode]),
        version: read(`${mode}-version`, parseVersion, defaults[mode].version, Infinity),
      },
    ]),
  ) as PodSecurityPolicy;
  return { policy: { ...policy, warn: withWarnings(policy, labels) }, errors };
}

/** Without a label for warnings, users get warnings for the enforced level. */
function withWarnings(
  { enforce, warn }: PodSecurityPolicy,
  labels: Readonly<Record<string, string>>,
): LevelVersion {
  const has = (label: string) => Object.hasOwn(labels, labelPrefix + label);
  const isSaid = (levels as readonly string[]).includes(labels[`${labelPrefix}enforce`] ?? '');
  if (has('warn') || !isSaid || !isStricter(enforce.level, warn.level)) return warn;
  return { level: enforce.level, version: has('warn-version') ? warn.version : enforce.version };
}
