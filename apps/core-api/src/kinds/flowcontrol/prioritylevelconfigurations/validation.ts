import { entropyBits, mandatoryLevels, usableHashBits } from '@annex/flow-control';
import {
  deepEqual,
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
} from '@annex/machinery';
import {
  all,
  between,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  oneOf,
  required,
  unique,
} from '../../shared/checks.ts';

const allowedQueues = 10_000_000;
const notNegative: Check = (value, at) =>
  typeof value === 'number' && value < 0
    ? [fieldErrors.invalid(at, value, 'must be a non-negative integer')]
    : [];
const positive: Check = (value, at) =>
  Number(value) <= 0 ? [fieldErrors.invalid(at, value, 'must be positive')] : [];
const percent = between(0, 100, 'must be between 0 and 100, inclusive');

const queuing = fields(
  { queueLengthLimit: positive },
  (value, at) => {
    const queues = Number(childNumber(value, 'queues'));
    if (queues <= 0) return [fieldErrors.invalid(at.child('queues'), queues, 'must be positive')];
    return queues > allowedQueues
      ? [fieldErrors.invalid(at.child('queues'), queues, `must not be greater than ${allowedQueues}`)]
      : [];
  },
  (value, at) => handSize(childNumber(value, 'queues'), childNumber(value, 'handSize'), at.child('handSize')),
);

function handSize(queues: number, size: number, at: FieldPath): FieldError[] {
  if (size <= 0) return [fieldErrors.invalid(at, size, 'must be positive')];
  if (size > queues) return [fieldErrors.invalid(at, size, `should not be greater than queues (${queues})`)];
  if (entropyBits(queues, size) <= usableHashBits) return [];
  const why = `required entropy bits of deckSize ${queues} and handSize ${size} should not be greater than ${usableHashBits}`;
  return [fieldErrors.invalid(at, size, why)];
}

function childNumber(value: unknown, name: string): number {
  return isObject(value) ? Number(getOwn(value, name) ?? 0) : 0;
}

const limitResponse: Check = (value, at) => {
  const object = isObject(value) ? value : {};
  const found = getOwn(object, 'queuing');
  const child = at.child('queuing');
  const type = String(getOwn(object, 'type') ?? '');
  if (type === 'Reject') {
    return isMissing(found)
      ? []
      : [fieldErrors.forbidden(child, 'must be nil if limited.limitResponse.type is not Limited')];
  }
  if (type !== 'Queue') return required(oneOf('Queue', 'Reject'))(type, at.child('type'));
  return required(queuing, 'must not be empty if limited.limitResponse.type is Limited')(found, child);
};

const limited = fields({
  nominalConcurrencyShares: notNegative,
  limitResponse: (value, at) => limitResponse(value ?? {}, at),
  lendablePercent: percent,
  borrowingLimitPercent: (value, at) =>
    typeof value === 'number' && value < 0
      ? [fieldErrors.invalid(at, value, 'if specified, must be a non-negative integer')]
      : [],
});

const exempt = fields({ nominalConcurrencyShares: notNegative, lendablePercent: percent });

function typedSpec(spec: JsonObject, at: FieldPath): FieldError[] {
  const type = String(getOwn(spec, 'type') ?? '');
  const [ofExempt, ofLimited] = [getOwn(spec, 'exempt'), getOwn(spec, 'limited')];
  if (type === 'Exempt') {
    const foreign = isMissing(ofLimited)
      ? []
      : [fieldErrors.forbidden(at.child('limited'), 'must be nil if the type is not Limited')];
    return [...foreign, ...exempt(ofExempt, at.child('exempt'))];
  }
  if (type !== 'Limited') return required(oneOf('Exempt', 'Limited'))(type, at.child('type'));
  const foreign = isMissing(ofExempt)
    ? []
    : [fieldErrors.forbidden(at.child('exempt'), 'must be nil if the type is Limited')];
  const own = required(limited, 'must not be empty when type is Limited')(ofLimited, at.child('limited'));
  return [...foreign, ...own];
}

const spec: Check = (object, at) => {
  const [name, value, child] = [nameOf(object), childOf(object, 'spec'), at.child('spec')];
  const type = String(getOwn(value, 'type') ?? '');
  const isExempt = type === 'Exempt';
  const ofName =
    (name === 'exempt') === isExempt
      ? []
      : [
          fieldErrors.invalid(
            child.child('type'),
            type,
            "must be 'Exempt' if and only if `name` is 'exempt'",
          ),
        ];
  return [...ofName, ...typedSpec(value, child), ...fixedSpec(name, value, child)];
};

function fixedSpec(name: string, value: JsonObject, at: FieldPath): FieldError[] {
  const fixed = mandatoryLevels.find((level) => level.name === name)?.spec as JsonObject | undefined;
  if (fixed === undefined) return [];
  const isExempt = name === 'exempt';
  const compared: JsonValue = isExempt ? { ...value, exempt: fixed.exempt ?? {} } : value;
  if (deepEqual(fixed, compared)) return [];
  const except = isExempt ? " except the 'spec.exempt' field" : '';
  return [fieldErrors.invalid(at, value, `spec of '${name}'${except} must equal the fixed value`)];
}

const nameOf = (object: unknown): string => String(getOwn(childOf(object, 'metadata'), 'name') ?? '');

/** The annotation that kube-apiserver uses internally. */
const internalAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

const annotations: Check = (object, at) =>
  getOwn(childOf(childOf(object, 'metadata'), 'annotations'), internalAnnotation) === undefined
    ? []
    : [
        fieldErrors.forbidden(
          at.child('metadata').child('annotations'),
          `annotation '${internalAnnotation}' is forbidden`,
        ),
      ];

/** The checks of kube-apiserver. */
export const checkPriorityLevel: Check = all(
  annotations,
  spec,
  fields({ status: fields({ conditions: all(unique('type'), each(fields({ type: required() }))) }) }),
);
