import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  type JsonObject,
  validateDns1123Label,
  validateLabels,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, each, fields, objectsOf, required, text } from '../../shared/checks.ts';
import { containerResources } from '../../shared/pod-spec/resources.ts';
import { toleration } from '../../shared/pod-spec/scheduling.ts';

/** Returns the Go value of a toleration. */
const goToleration = ({ key, operator, value, effect, tolerationSeconds }: JsonObject) => ({
  Key: key ?? '',
  Operator: operator ?? '',
  Value: value ?? '',
  Effect: effect ?? '',
  TolerationSeconds: tolerationSeconds ?? null,
});

const distinct: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), (one, index): FieldError[] => {
    const shown = goToleration(one);
    const { TolerationSeconds: _, ...identity } = shown;
    const key = JSON.stringify(identity);
    if (isRepeated(key)) return [fieldErrors.duplicate(at.index(index), shown)];
    return [];
  });
};

const overhead: Check = (value, at) =>
  containerResources({ limits: childOf({ value }, 'value').podFixed }, at);

const nodeSelector: Check = (value, at) =>
  validateLabels(childOf({ value }, 'value') as Record<string, string>, at);

/** Checks a new RuntimeClass. */
export const validateRuntimeClass: Check = fields({
  handler: required(text(validateDns1123Label)),
  overhead,
  scheduling: fields({
    nodeSelector,
    tolerations: (value, at) => [...each(toleration)(value, at), ...distinct(value, at)],
  }),
});
