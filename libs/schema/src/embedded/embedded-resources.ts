import { DividedVisit, type FieldError, type JsonValue, type Passes } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { RemovedFields } from '../removed-fields.ts';
import { coercion, decoding, looseCoercion, validation } from './visits.ts';
import { compileWalk, type Visits } from './walk.ts';

/** The operations on resources that a schema embeds in others. */
export interface EmbeddedResources {
  /** Returns the error if kube-apiserver cannot decode an embedded resource, or `undefined`. */
  decodeError(value: JsonValue, path?: string): FieldError | undefined;
  /** Prunes and normalizes the metadata of embedded resources; returns the sorted paths of unknown fields. */
  coerce(value: JsonValue): string[];
  /** Like `coerce`, but drops metadata that cannot be decoded, as for defaults. */
  coerceLoosely(value: JsonValue): void;
  validate(value: JsonValue, path?: string): FieldError[];
  /** The same for values with many parts. */
  readonly inPasses: {
    decodeError(value: JsonValue): Passes<FieldError | undefined>;
    coerce(value: JsonValue): Passes<string[]>;
    coerceLoosely(value: JsonValue): Passes<void>;
    /** Beyond the errors that are reported, there may be more. */
    validate(value: JsonValue): Passes<FieldError[]>;
  };
}

/** Compiles the operations on embedded resources; `undefined` if a schema has none. */
export function compileEmbedded(root: SchemaNode): EmbeddedResources | undefined {
  const walk = compileWalk(root);
  if (walk === undefined) return undefined;
  const atOnce = (value: JsonValue, visits: Visits, path = '') => walk.visit(value, path, visits.atOnce);
  const inPasses = (value: JsonValue, visits: Visits) =>
    walk.visitInPasses(value, '', { visits, divided: new DividedVisit() });
  return {
    decodeError: (value, path) => atOnce(value, decoding, path),
    coerce: (value) => {
      const unknown = new RemovedFields();
      atOnce(value, coercion(unknown));
      return unknown.paths().sort();
    },
    coerceLoosely: (value) => void atOnce(value, looseCoercion),
    validate: (value, path) => {
      const errors: FieldError[] = [];
      atOnce(value, validation(errors), path);
      return errors;
    },
    inPasses: {
      decodeError: (value) => inPasses(value, decoding),
      *coerce(value) {
        const unknown = new RemovedFields();
        yield* inPasses(value, coercion(unknown));
        return unknown.paths().sort();
      },
      *coerceLoosely(value) {
        yield* inPasses(value, looseCoercion);
      },
      *validate(value) {
        const errors: FieldError[] = [];
        yield* inPasses(value, validation(errors));
        return errors;
      },
    },
  };
}
