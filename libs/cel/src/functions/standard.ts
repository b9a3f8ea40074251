import { listType, mapType, types } from '../typing/type.ts';
import type { Library } from './library.ts';
import { standardConversions } from './standard-conversions.ts';
import { standardMacros } from './standard-macros.ts';
import { standardOperators } from './standard-operators.ts';
import { standardStrings } from './standard-strings.ts';
import { standardTimes } from './standard-times.ts';

const { bool, bytes, double, duration, dyn, int, string, timestamp, type, uint } = types;

/** The standard library of the language: operators, functions, types and macros. */
export const standardLibrary: Library = {
  name: 'standard',
  functions: [...standardOperators, ...standardConversions, ...standardStrings, ...standardTimes],
  types: [
    bool,
    bytes,
    double,
    duration,
    int,
    string,
    timestamp,
    type,
    uint,
    types.null,
    listType(dyn),
    mapType(dyn, dyn),
  ],
  macros: standardMacros,
};
