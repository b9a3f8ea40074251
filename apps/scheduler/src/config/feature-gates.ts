import { goQuote, parseGoBoolean } from '@annex/machinery';
import { lockedOff, lockedOn, offByDefault, onByDefault, readByScheduler } from './feature-gate-names.ts';

interface Gate {
  value: boolean;
  isLocked: boolean;
}

const gates: ReadonlyMap<string, Gate> = new Map([
  ...lockedOn.map((name): [string, Gate] => [name, { value: true, isLocked: true }]),
  ...lockedOff.map((name): [string, Gate] => [name, { value: false, isLocked: true }]),
  ...onByDefault.map((name): [string, Gate] => [name, { value: true, isLocked: false }]),
  ...offByDefault.map((name): [string, Gate] => [name, { value: false, isLocked: false }]),
]);
const readHere = new Set(readByScheduler);

/** Returns the errors of gates that are unknown, locked, or that Annex does not have with that value. Gates of other components have no effect. */
export const featureGateErrors = (sent: Readonly<Record<string, string>>): string[] =>
  Object.entries(sent).flatMap(([name, text]) => gateError(name, text) ?? []);

function gateError(sent: string, text: string): string | undefined {
  const [component, name] = sent.includes(':') ? sent.split(':', 2) : ['kube', sent];
  if (component !== 'kube') return `component not registered: ${component}`;
  const value = parseGoBoolean(text);
  if (value === undefined)
    return `invalid value of ${name}=${text}, err: strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`;
  // Off is the default of all alpha gates; beta gates have both defaults.
  if (name === 'AllAlpha' && !value) return undefined;
  if (name === 'AllAlpha' || name === 'AllBeta') return `${name}=${value} is not supported`;
  const gate = gates.get(name ?? '');
  if (gate === undefined) return `unrecognized feature gate: ${name}`;
  if (gate.value === value) return undefined;
  if (gate.isLocked) return `cannot set feature gate ${name} to ${value}, feature is locked to ${gate.value}`;
  return readHere.has(name ?? '') ? `feature gate ${name}=${value} is not supported` : undefined;
}
