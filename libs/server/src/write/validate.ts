import { mapMaybePromise, ownTurn, yieldIfHeld } from '@annex/runtime';
import {
  completeErrors,
  type FieldError,
  fieldErrors,
  type FieldErrorType,
  finishSoon,
  invalid,
  parseGroupVersion,
  postponeErrors,
  pushAll,
} from '@annex/machinery';
import { checkCustomType } from '../decoding/object-type.ts';
import { asJson, type RequestContext, type ResourceKind } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { pauseFor, refuseAbandoned } from '../abandoned-request.ts';
import { pause } from '../large-objects.ts';
import { isLargeWrite } from './large-write.ts';
import { metaErrors } from './meta-errors.ts';

/**
 * Validates the whole object and reports all errors together: metadata, schema (with ratcheting), the rules
 * of the kind.
 */
export const validate: Step<WriteContext> = {
  name: 'validate',
  run(write, next) {
    const { endpoint, kind, object, current, request, subresource } = write;
    if (!endpoint.typed) checkCustomType(asJson(object), endpoint);
    return mapMaybePromise(allErrors(write), (errors) => {
      if (errors.length > 0) throw invalid(internalKind(kind), object.metadata.name ?? '', errors);
      return mapMaybePromise(afterTurn(write, kind.strategy), (strategy) => {
        // As in kube-apiserver, a write of the status does not warn of the spec.
        if (subresource?.name === 'status' || strategy.warnings === undefined) return next(write);
        return mapMaybePromise(strategy.warnings(object, current?.object, request), (warnings) => {
          pushAll(request.warnings, warnings);
          return next(write);
        });
      });
    });
  },
};

function allErrors(write: WriteContext): FieldError[] | Promise<FieldError[]> {
  const inTurn = mapMaybePromise(contentErrors(write), (found) => afterTurn(write, found));
  return mapMaybePromise(inTurn, (content) => {
    const isEnough = content.length > 0 && write.current === undefined && write.kind.strategy.metadataLast;
    const ofMetadata = isEnough ? [] : inTurns(write, () => metaErrors(write));
    return mapMaybePromise(ofMetadata, (found) => withRuleErrors(write, [...found, ...content]));
  });
}

const withRuleErrors = (write: WriteContext, errors: FieldError[]): FieldError[] | Promise<FieldError[]> =>
  mapMaybePromise(ruleErrors(write, errors), (found) => {
    pushAll(errors, found);
    return errors;
  });

/** Runs checks. The items of long lists are checked in turns of the event loop. */
const inTurns = (
  { request }: WriteContext,
  check: () => FieldError[] | Promise<FieldError[]>,
): FieldError[] | Promise<FieldError[]> =>
  mapMaybePromise(postponeErrors(check), (found) =>
    found.length === 0 ? found : finishSoon(completeErrors(found), pauseFor(request)),
  );

/** Serves other requests before the result is used, if this turn of the event loop has been long. */
const afterTurn = <T>(write: WriteContext, result: T): T | Promise<T> =>
  mapMaybePromise(isLargeWrite(write) ? pause() : yieldIfHeld(performance.now()), () => result);

/** Returns the kind that errors name: that of the stored object, which has the internal type of kube-apiserver. */
const internalKind = ({ kind, group, storage }: ResourceKind): { group: string; kind: string } => ({
  kind,
  group: storage === undefined ? group : parseGroupVersion(storage.apiVersion).group,
});

function contentErrors(write: WriteContext): FieldError[] | Promise<FieldError[]> {
  const { kind, object, current, request, subresource } = write;
  if (subresource !== undefined) {
    return inTurns(
      write,
      () => (current && subresource.spec.validate?.(object, current.object, request)) ?? [],
    );
  }
  const ofSchema = inTurns(write, () =>
    kind.schema.validate(asJson(object), current && asJson(current.object)),
  );
  return mapMaybePromise(ofSchema, (errors) => {
    const own = mapMaybePromise(afterTurn(write, kind.strategy), (strategy) =>
      inTurns(
        write,
        () =>
          (current
            ? strategy.validateUpdate?.(object, current.object, request)
            : strategy.validateCreate?.(object, request)) ?? [],
      ),
    );
    return mapMaybePromise(own, (found) => [...errors, ...found]);
  });
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
function ruleErrors(
  { kind, object, current, request }: WriteContext,
  errors: readonly FieldError[],
): FieldError[] | Promise<FieldError[]> {
  const { validateRules } = kind.schema;
  if (validateRules === undefined) return [];
  if (errors.some(({ type }) => blocking.has(type))) return [fieldErrors.invalid('', undefined, unchecked)];
  const found = validateRules(asJson(object), current && asJson(current.object));
  return mapMaybePromise(found.proceed() ? undefined : proceed(found, request), () => {
    pushAll(request.warnings, found.warnings);
    return found.errors;
  });
}

async function proceed(rules: { proceed(): boolean }, request: RequestContext): Promise<void> {
  do {
    await ownTurn();
    refuseAbandoned(request);
  } while (!rules.proceed());
}
