import { member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { type CelType, listType, mapType, typeParam, types } from '../typing/type.ts';
import { codePointCount, mapSize } from '../values/container.ts';
import type { ListValue, Value } from '../values/value.ts';
import type { RE2JS } from 're2js';
import { workInPasses } from '../evaluation/long-call.ts';
import { isLongSearch, testInPasses } from '../regex/search.ts';
import { compilePattern } from './pattern.ts';

const { bool, bytes, int, string } = types;
const listOfA = listType(typeParam('A'));
const mapOfAB = mapType(typeParam('A'), typeParam('B'));

const sizes: readonly (readonly [name: string, type: CelType, size: (value: never) => number])[] = [
  ['bytes', bytes, (value: Uint8Array) => value.length],
  ['list', listOfA, (value: readonly Value[] | ListValue) => value.length],
  ['map', mapOfAB, mapSize],
  ['string', string, codePointCount],
];

const matches = (text: string, pattern: string) => search(compilePattern(pattern), text);
const search = (pattern: RE2JS, text: string): boolean =>
  isLongSearch(pattern, text) ? workInPasses(testInPasses(pattern, text)) : pattern.test(text);
const matchesOf = (overload: Overload): Overload => ({
  ...overload,
  prepare: ([, pattern]) => {
    if (typeof pattern !== 'string') return undefined;
    const compiled = compilePattern(pattern);
    return (text: string) => search(compiled, text);
  },
});
const mismatch = 'no such overload';
const test = (id: string, call: (text: string, part: string) => boolean) =>
  member(id, [string, string], bool, call);

/** The `size` function and the string tests. */
export const standardStrings: readonly FunctionDeclaration[] = [
  {
    name: 'size',
    mismatch: 'no such overload: size',
    overloads: sizes.flatMap(([name, type, size]) => [
      overload(`size_${name}`, [type], int, size),
      member(`${name}_size`, [type], int, size),
    ]),
  },
  { name: 'contains', mismatch, overloads: [test('contains_string', (text, part) => text.includes(part))] },
  { name: 'endsWith', mismatch, overloads: [test('ends_with_string', (text, part) => text.endsWith(part))] },
  {
    name: 'startsWith',
    mismatch,
    overloads: [test('starts_with_string', (text, part) => text.startsWith(part))],
  },
  {
    name: 'matches',
    mismatch,
    overloads: [
      matchesOf(overload('matches', [string, string], bool, matches)),
      matchesOf(test('matches_string', matches)),
    ],
  },
];
