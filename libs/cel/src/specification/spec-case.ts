import { tests as data } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { SpecValue } from './spec-value.ts';

export interface SpecCase {
  /** `section/group/name`. */
  readonly path: string;
  readonly section: string;
  readonly original: {
    readonly expr: string;
    readonly container?: string;
    readonly typeEnv?: readonly SpecDeclaration[];
    readonly bindings?: Readonly<Record<string, { readonly value?: SpecValue }>>;
    readonly value?: SpecValue;
    readonly evalError?: unknown;
    readonly disableCheck?: boolean;
    readonly checkOnly?: boolean;
    readonly typedResult?: { readonly result?: SpecValue };
  };
  /** The expected type, if the data contains one. */
  readonly type?: string;
}

/** A variable or a function of a case. */
export interface SpecDeclaration {
  readonly name: string;
  readonly ident?: { readonly type: SpecType };
  readonly function?: {
    readonly overloads: readonly {
      readonly overloadId: string;
      readonly params?: readonly SpecType[];
      readonly resultType: SpecType;
      readonly isInstanceFunction?: boolean;
    }[];
  };
}

/** A type in the data: protobuf's `cel.expr.Type` in JSON. */
export interface SpecType {
  readonly [kind: string]: unknown;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly {
    readonly original: SpecCase['original'] & { readonly name?: string };
    readonly type?: string;
  }[];
}

/** The sections of the specification that Kubernetes uses. */
const sections: ReadonlySet<string> = new Set([
  'basic',
  'bindings_ext',
  'comparisons',
  'conversions',
  'encoders_ext',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'macros2',
  'math_ext',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
  'type_deductions',
]);

/** Returns the cases of these sections, each with a unique path. */
export function specCases(): SpecCase[] {
  const cases: SpecCase[] = [];
  const paths = new Map<string, number>();
  const collect = (suite: Suite, section: string, at: string): void => {
    for (const { original, type } of suite.tests ?? []) {
      const path = `${at}/${original.name}`;
      const count = (paths.get(path) ?? 0) + 1;
      paths.set(path, count);
      const unique = count === 1 ? path : `${path}#${count}`;
      cases.push({ path: unique, section, original, ...(type !== undefined && { type }) });
    }
    for (const inner of suite.suites ?? []) collect(inner, section, `${at}/${inner.name}`);
  };
  for (const suite of (data as unknown as Suite).suites ?? [])
    if (sections.has(suite.name)) collect(suite, suite.name, suite.name);
  return cases;
}
