import { goQuote, parseGoBoolean } from '@annex/machinery';
import { gateDependencies } from './feature-gate-dependencies.ts';
import {
  alphaOff,
  betaOff,
  betaOn,
  lockedOff,
  lockedOn,
  notImplemented,
  releasedOff,
  releasedOn,
} from './feature-gate-names.ts';

/** The gates that are on. */
export type FeatureGates = ReadonlySet<string>;

interface Gate {
  isOn: boolean;
  stage: 'alpha' | 'beta' | 'released' | 'locked';
}

const listed = (names: readonly string[], gate: Gate) => names.map((name): [string, Gate] => [name, gate]);

const gates: ReadonlyMap<string, Gate> = new Map([
  ...listed(lockedOn, { isOn: true, stage: 'locked' }),
  ...listed(lockedOff, { isOn: false, stage: 'locked' }),
  ...listed(releasedOn, { isOn: true, stage: 'released' }),
  ...listed(releasedOff, { isOn: false, stage: 'released' }),
  ...listed(betaOn, { isOn: true, stage: 'beta' }),
  ...listed(betaOff, { isOn: false, stage: 'beta' }),
  ...listed(alphaOff, { isOn: false, stage: 'alpha' }),
]);

/** The gates of kube-scheduler 1.36 without options. */
export const defaultFeatureGates: FeatureGates = new Set(
  [...gates].filter(([, { isOn }]) => isOn).map(([name]) => name),
);

/** Gates for all others of a stage. */
const stages: ReadonlyMap<string, Gate['stage']> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
]);

/** What `--feature-gates` says: the gates that are on, or errors. Those of kube-scheduler come first. */
export interface ReadFeatureGates {
  gates: FeatureGates;
  errors: readonly string[];
}

/** Reads gates by name. Gates of other components are known and have no effect. */
export function readFeatureGates(sent: Readonly<Record<string, string>>): ReadFeatureGates {
  const values = new Map<string, boolean>();
  const refused = (...errors: string[]): ReadFeatureGates => ({ gates: defaultFeatureGates, errors });
  for (const [key, text] of Object.entries(sent)) {
    const [component, name] = key.includes(':') ? key.split(':', 2) : ['kube', key];
    if (component !== 'kube') return refused(`component not registered: ${component}`);
    const value = parseGoBoolean(text);
    if (value === undefined)
      return refused(
        `invalid value of ${name}=${text}, err: strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`,
      );
    values.set(name ?? '', value);
  }
  const known = [...values].flatMap(([name, value]) => nameError(name, value) ?? []);
  if (known.length > 0) return refused(...known);
  const enabled = enabledBy(values);
  const errors = dependencyErrors(enabled);
  if (errors.length > 0) return refused(...errors);
  return { gates: enabled, errors: notImplementedErrors(values, enabled) };
}

function nameError(name: string, value: boolean): string | undefined {
  if (stages.has(name)) return undefined;
  const gate = gates.get(name);
  if (gate === undefined) return `unrecognized feature gate: ${name}`;
  if (gate.stage !== 'locked' || gate.isOn === value) return undefined;
  return `cannot set feature gate ${name} to ${value}, feature is locked to ${gate.isOn}`;
}

function enabledBy(values: ReadonlyMap<string, boolean>): FeatureGates {
  const ofStage = new Map<string, boolean>();
  for (const [name, stage] of stages) {
    const value = values.get(name);
    if (value !== undefined) ofStage.set(stage, value);
  }
  const isOn = (name: string, gate: Gate): boolean =>
    values.get(name) ?? ofStage.get(gate.stage) ?? gate.isOn;
  return new Set([...gates].filter(([name, gate]) => isOn(name, gate)).map(([name]) => name));
}

function dependencyErrors(enabled: FeatureGates): string[] {
  return [...gateDependencies].flatMap(([name, needed]) => {
    const missing = enabled.has(name) ? needed.filter((one) => !enabled.has(one)) : [];
    return missing.length === 0
      ? []
      : [`${name} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`];
  });
}

function notImplementedErrors(values: ReadonlyMap<string, boolean>, enabled: FeatureGates): string[] {
  const changed = notImplemented.filter((name) => enabled.has(name) !== defaultFeatureGates.has(name));
  const own = changed.filter((name) => values.has(name));
  const sent = own.length > 0 ? own : changed.length > 0 ? [...stages.keys()] : [];
  return sent.flatMap((name) =>
    values.has(name) ? [`feature gate ${name}=${values.get(name)} is not supported`] : [],
  );
}
