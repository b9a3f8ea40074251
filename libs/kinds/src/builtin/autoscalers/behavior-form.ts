import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { int32, list, quantity, struct, text } from './go-decoders.ts';

/**
 * The Go names of the fields of a behavior, in order. The annotation contains kube-apiserver's internal type,
 * which encodes all fields.
 */
const behaviorFields = ['ScaleUp', 'ScaleDown'];
const ruleFields = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'];
const policyFields = ['Type', 'Value', 'PeriodSeconds'];

const jsonName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const goFields = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, getOwn(value, jsonName(name)) ?? null]));

/** Converts a behavior to the form of the annotation. */
export function behaviorToV1(behavior: JsonValue): JsonValue {
  if (!isObject(behavior)) return behavior;
  const made = goFields(behavior, behaviorFields);
  for (const name of behaviorFields) {
    const rules = getOwn(made, name);
    if (!isObject(rules)) continue;
    const { policies } = rules;
    setOwn(made, name, {
      ...goFields(rules, ruleFields),
      Policies: Array.isArray(policies)
        ? policies.map((p) => (isObject(p) ? goFields(p, policyFields) : p))
        : null,
    });
  }
  return made;
}

const policy = struct({ type: text, value: int32, periodSeconds: int32 });
const rules = struct({
  stabilizationWindowSeconds: int32,
  selectPolicy: text,
  policies: list(policy),
  tolerance: quantity,
});

/** Reads the annotation, whose names Go finds in any case. */
export const behaviorDecoder = struct({ scaleUp: rules, scaleDown: rules });
