import { type CelType, Environment, Program, standardLibrary, type Value } from '@annex/cel';
import { celEnv, parse as parseBuf, plan } from '@bufbuild/cel';
import { parse as parseMarcBachmann } from '@marcbachmann/cel-js';
import { evaluate, parse as parseCelJs } from 'cel-js';

/** Variables as JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Variables = Readonly<Record<string, Json>>;

/** An engine: compiles an expression to a function that evaluates it any number of times. */
export interface Engine {
  readonly name: string;
  /** Declares the types of variables once for all expressions, for engines with types. */
  declare?(variables: Readonly<Record<string, CelType>>): void;
  compile(expression: string): (variables: never) => unknown;
  /** Converts variables for the engine, such as integers to its integer type. */
  variables(variables: Variables): unknown;
}

const standard = new Environment({ libraries: [standardLibrary] });
let environment = standard;

/** The CEL engines in JavaScript, ours first. */
export const engines: readonly Engine[] = [
  {
    name: '@annex/cel',
    declare(variables) {
      const declared = Object.entries(variables).map(([name, type]) => ({ name, type }));
      environment = standard.extend({ variables: declared });
    },
    compile(expression) {
      const program = new Program(environment.compile(expression), environment);
      return (values: Readonly<Record<string, Value>>) => program.evaluate(values).value;
    },
    variables: (variables) => variables,
  },
  {
    name: '@marcbachmann/cel-js',
    compile: (expression) => parseMarcBachmann(expression) as never,
    variables: withBigInts,
  },
  {
    name: '@bufbuild/cel',
    compile: (expression) => plan(celEnv(), parseBuf(expression)) as never,
    variables: withBigInts,
  },
  {
    name: 'cel-js',
    compile(expression) {
      const parsed = parseCelJs(expression);
      if (!parsed.isSuccess) throw new Error(parsed.errors.join());
      return (variables: Record<string, unknown>) => evaluate(parsed.cst, variables);
    },
    variables: (variables) => variables,
  },
];

function withBigInts(value: Json): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(withBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBigInts(member as Json)]));
}
