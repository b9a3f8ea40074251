import type { ExtendedKind, ObjectValidation, RequestContext, Strategy } from '@annex/kinds';
import { type FieldError, FieldPath, finishSoon, type KubeObject, type Passes } from '@annex/machinery';
import { mapMaybePromise } from '@annex/runtime';
import { pauseFor } from '@annex/server';
import type { Check } from './shared/checks.ts';
import type { Warnings } from './shared/warnings.ts';

/**
 * Everything special about one built-in kind. The `kind.ts` of each folder `<group>/<resource>` exports one; the `group.ts`
 * of a group lists its kinds. What is recorded of a kind (names, schema, columns) needs no entry. The source of the rules in
 * `strategy` is `pkg/registry/<group>/<resource>/strategy.go` of k8s.io/kubernetes v1.36.3; that of `metaChecks` is
 * `ValidateXUpdate` in `pkg/apis/<group>/validation`.
 */
export interface BuiltinKind extends ExtendedKind {
  strategy?: Omit<Strategy, keyof ObjectValidation>;
  validation?: Validation;
  warnings?: Warnings;
}

/** The validation of a kind beyond its schema. Errors are reported in the order of the members. */
export interface Validation {
  /** Prepares the checks of a new or updated object that is large, in turns of the event loop. */
  before?(object: KubeObject, old?: KubeObject): Promise<void> | undefined;
  /** Checks new and updated objects. */
  object?: Check;
  /** Checks new objects. */
  create?(object: KubeObject, root: FieldPath): FieldError[];
  /** Changes are checked before the updated object. */
  changesFirst?: boolean;
  /** Checks updates. */
  update?(object: KubeObject, old: KubeObject): FieldError[];
  /** Checks new and updated objects in passes: those of a large object are in turns of the event loop. */
  content?(object: KubeObject, old?: KubeObject): Passes<FieldError[]>;
}

/** The validation of a status endpoint beyond its schema. */
export interface StatusValidation {
  validate(updated: KubeObject, parent: KubeObject): FieldError[];
}

/** A kind in the form that {@link builtinKinds} takes: validation and warnings become a part of the strategy. */
export function extendedKind({ validation, warnings, strategy, ...extension }: BuiltinKind): ExtendedKind {
  return {
    ...extension,
    strategy: {
      ...strategy,
      ...(validation === undefined ? {} : validateWith(validation)),
      ...(warnings === undefined ? {} : { warnings }),
    },
  };
}

const noErrors = (): FieldError[] => [];

function validateWith(validation: Validation): ObjectValidation {
  const { content } = validation;
  const { validateCreate, validateUpdate } = validateAtOnce(validation);
  if (content === undefined) return { validateCreate, validateUpdate };
  const then = (found: MaybeErrors, passes: Passes<FieldError[]>, request: RequestContext): MaybeErrors =>
    mapMaybePromise(found, (errors) =>
      mapMaybePromise(finishSoon(passes, pauseFor(request)), (further) => [...errors, ...further]),
    );
  return {
    validateCreate: (created, request) => then(validateCreate(created), content(created), request),
    validateUpdate: (updated, old, request) =>
      then(validateUpdate(updated, old), content(updated, old), request),
  };
}

type MaybeErrors = FieldError[] | Promise<FieldError[]>;

const validateAtOnce = ({
  before = () => undefined,
  object = noErrors,
  create = noErrors,
  update = noErrors,
  changesFirst = false,
}: Validation) => ({
  validateCreate: (created: KubeObject): MaybeErrors =>
    mapMaybePromise(before(created), () => [
      ...object(created, FieldPath.root),
      ...create(created, FieldPath.root),
    ]),
  validateUpdate: (updated: KubeObject, old: KubeObject): MaybeErrors =>
    mapMaybePromise(before(updated, old), () =>
      changesFirst
        ? [...update(updated, old), ...object(updated, FieldPath.root)]
        : [...object(updated, FieldPath.root), ...update(updated, old)],
    ),
});
