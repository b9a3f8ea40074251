import { setImmediate } from 'node:timers/promises';
import { yieldIfHeld } from '@annex/http';
import {
  type FieldError,
  fieldErrors,
  type FieldErrorType,
  invalid,
  parseGroupVersion,
  pushAll,
} from '@annex/machinery';
import { checkCustomType } from '../decoding/object-type.ts';
import { asJson, type ResourceKind } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { metaErrors } from './meta-errors.ts';

/**
 * Validates the whole object and reports all errors together: metadata, schema (with ratcheting), the rules
 * of the kind.
 */
export const validate: Step<WriteContext> = {
  name: 'validate',
  async run(write, next) {
    const { endpoint, kind, object, current, request } = write;
    if (!endpoint.typed) checkCustomType(asJson(object), endpoint);
    const content = await contentErrors(write);
    const turn = yieldIfHeld(performance.now());
    if (turn !== undefined) await turn;
    const isEnough = content.length > 0 && current === undefined && kind.strategy.metadataLast;
    const errors = isEnough ? content : [...metaErrors(write), ...content];
    pushAll(errors, await ruleErrors(write, errors));
    if (errors.length > 0) throw invalid(internalKind(kind), object.metadata.name ?? '', errors);
    pushAll(request.warnings, kind.strategy.warnings?.(object, current?.object) ?? []);
    await next(write);
  },
};

/** Returns the kind that errors name: that of the stored object, which has the internal type of kube-apiserver. */
const internalKind = ({ kind, group, storage }: ResourceKind): { group: string; kind: string } => ({
  kind,
  group: storage === undefined ? group : parseGroupVersion(storage.apiVersion).group,
});

async function contentErrors(write: WriteContext): Promise<FieldError[]> {
  const { kind, object, current, request, subresource } = write;
  if (subresource !== undefined) {
    return current ? ((await subresource.spec.validate?.(object, current.object, request)) ?? []) : [];
  }
  const errors = kind.schema.validate(asJson(object), current && asJson(current.object));
  const turn = yieldIfHeld(performance.now());
  if (turn !== undefined) await turn;
  const own = current
    ? await kind.strategy.validateUpdate?.(object, current.object, request)
    : await kind.strategy.validateCreate?.(object, request);
  return [...errors, ...(own ?? [])];
}

/** Types of errors after which the object does not have the shape that rules expect. */
const blocking = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/**
 * Returns the errors of the schema's CEL rules, also for a write to a subresource. Violations that existed
 * before are only warnings.
 */
async function ruleErrors(
  { kind, object, current, request }: WriteContext,
  errors: readonly FieldError[],
): Promise<FieldError[]> {
  const { validateRules } = kind.schema;
  if (validateRules === undefined) return [];
  if (errors.some(({ type }) => blocking.has(type))) return [fieldErrors.invalid('', undefined, unchecked)];
  const found = validateRules(asJson(object), current && asJson(current.object));
  while (!found.proceed()) await setImmediate();
  pushAll(request.warnings, found.warnings);
  return found.errors;
}
