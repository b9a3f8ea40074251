import { compileExpression } from '@annex/admission';
import type { CelType, Environment } from '@annex/cel';
import {
  errorsInPasses,
  type FieldError,
  fieldErrors,
  FieldPath,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

/** Requires a string with other characters than white space. */
export const filled =
  (why: string, check: Check): Check =>
  (value, at) =>
    typeof value === 'string' && value.trim() !== '' ? check(value, at) : [fieldErrors.required(at, why)];

/** Compiles an expression in passes; returns its error. */
type Compile = () => Passes<string | undefined>;

/** The expressions of one object, which are compiled in passes, between two runs of its check. */
export class Expressions {
  readonly #found = new Map<string, Compile>();
  readonly #errors = new Map<string, string>();

  /** Requires a CEL expression of one of the types. */
  of(environment: Environment, ...returns: CelType[]): Check {
    return this.compiled(function* (value) {
      return (yield* compileExpression(environment, String(value), returns)).error;
    });
  }

  /** Requires an expression that compiles. */
  compiled(compile: (value: unknown) => Passes<string | undefined>): Check {
    return (value, at) => {
      const place = at.toString();
      this.#found.set(place, () => compile(value));
      const error = this.#errors.get(place);
      return error === undefined ? [] : [fieldErrors.invalid(at, value, error)];
    };
  }

  /** Checks an object with expressions, in passes over the items of its lists, and in passes over its expressions. */
  *check(check: Check, object: KubeObject): Passes<FieldError[]> {
    const checkAll = () => errorsInPasses(() => check(object, FieldPath.root));
    const errors = yield* checkAll();
    for (const [place, compile] of this.#found) {
      yield;
      const error = yield* compile();
      if (error !== undefined) this.#errors.set(place, error);
    }
    return this.#errors.size === 0 ? errors : yield* checkAll();
  }
}
