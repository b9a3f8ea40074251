import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { declare, member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { listType, types } from '../typing/type.ts';
import { codePointCount, elements } from '../values/container.ts';
import { formatValue, quoteText } from '../values/format.ts';
import type { Integer } from '../values/int.ts';
import type { ListValue, Value } from '../values/value.ts';
import { checkFormatCalls } from './format-check.ts';
import { type Formatter, formatText } from './formatter.ts';
import { localizedFormatter } from './localized-format.ts';
import { plainFormatter } from './plain-format.ts';

const { dyn, int, string } = types;
const strings = listType(string);
type List = readonly Value[] | ListValue;

/** A function with the first version of the library that contains it. */
type Versioned = readonly [since: number, FunctionDeclaration];

const functions: readonly Versioned[] = [
  [0, declare('charAt', member('string_char_at_int', [string, int], string, charAt))],
  [
    0,
    declare(
      'lowerAscii',
      member('string_lower_ascii', [string], string, (text: string) =>
        text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      ),
    ),
  ],
  [
    0,
    declare(
      'replace',
      member(
        'string_replace_string_string',
        [string, string, string],
        string,
        (text: string, old: string, by: string) => replace(text, old, by, -1),
      ),
      member('string_replace_string_string_int', [string, string, string, int], string, replace),
    ),
  ],
  [
    0,
    declare(
      'split',
      member('string_split_string', [string, string], strings, (text: string, separator: string) =>
        split(text, separator, -1),
      ),
      member('string_split_string_int', [string, string, int], strings, split),
    ),
  ],
  [
    0,
    declare(
      'substring',
      member('string_substring_int', [string, int], string, substring),
      member('string_substring_int_int', [string, int, int], string, substring),
    ),
  ],
  [0, declare('trim', member('string_trim', [string], string, trim))],
  [
    0,
    declare(
      'upperAscii',
      member('string_upper_ascii', [string], string, (text: string) =>
        text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ),
    ),
  ],
  [1, declare('strings.quote', overload('strings_quote', [string], string, quoteText))],
  [
    0,
    declare(
      'join',
      member('list_join', [strings], string, (list: List) => join(list, '')),
      member('list_join_string', [strings, string], string, join),
    ),
  ],
  [
    3,
    declare(
      'reverse',
      member('string_reverse', [string], string, (text: string) => Array.from(text).reverse().join('')),
    ),
  ],
];

/** Returns the library of a version: https://github.com/google/cel-go/blob/master/ext/README.md#strings */
export function stringsLibrary(version: 0 | 1 | 2 | 3 | 4 = 4): Library {
  const formatter = version >= 4 ? plainFormatter : localizedFormatter;
  return {
    name: 'strings',
    functions: [...functions, ...searches(version >= 4), [1, formatFunction(formatter)] as const]
      .filter(([since]) => since <= version)
      .map(([, declared]) => declared),
    ...(version >= 1 && { validators: [checkFormatCalls(formatter)], mixedLiteralsIn: ['format'] }),
  };
}

/** Since version 4, an offset beyond the end is an error, as in the specification. */
function searches(strict: boolean): readonly Versioned[] {
  const check = (text: string, offset: Integer) => {
    if (strict && offset > codePointCount(text)) outOfRange(offset);
    return offset;
  };
  const from = (text: string, part: string, at: Integer) => indexOf(text, part, check(text, at));
  const before = (text: string, part: string, at: Integer) => lastIndexOf(text, part, check(text, at));
  const first = (text: string, part: string) => indexOf(text, part, 0);
  return [
    [
      0,
      declare(
        'indexOf',
        member('string_index_of_string', [string, string], int, first),
        member('string_index_of_string_int', [string, string, int], int, from),
      ),
    ],
    [
      0,
      declare(
        'lastIndexOf',
        member('string_last_index_of_string', [string, string], int, lastIndexOfAll),
        member('string_last_index_of_string_int', [string, string, int], int, before),
      ),
    ],
  ];
}

function formatFunction(formatter: Formatter): FunctionDeclaration {
  const call = (text: string, args: List) => formatText(formatter, text, args);
  const overload = member('string_format', [string, listType(dyn)], string, call);
  return declare('format', { ...overload, stopsAtErrors: true });
}

/** Returns true if offsets in UTF-16 code units and in characters are equal. */
const isPlain = (text: string) => !/[\ud800-\udfff]/.test(text);

function outOfRange(index: Integer): never {
  return fail(`index out of range: ${index}`);
}

function charAt(text: string, index: Integer): string {
  const length = codePointCount(text);
  if (index < 0 || index > length) return outOfRange(index);
  return (isPlain(text) ? text[Number(index)] : Array.from(text)[Number(index)]) ?? '';
}

function indexOf(text: string, part: string, offset: Integer): Integer {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const at = text.indexOf(part, unitsBefore(text, Number(offset)));
  return at < 0 ? -1 : codePointCount(text.slice(0, at));
}

function lastIndexOfAll(text: string, part: string): Integer {
  if (part === '') return codePointCount(text);
  const at = text.lastIndexOf(part);
  return at < 0 ? -1 : codePointCount(text.slice(0, at));
}

function lastIndexOf(text: string, part: string, offset: Integer): Integer {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  if (offset >= codePointCount(text)) return -1;
  const at = text.lastIndexOf(part, unitsBefore(text, Number(offset)));
  return at < 0 ? -1 : codePointCount(text.slice(0, at));
}

/** Returns the number of UTF-16 code units of the first `characters` characters. */
function unitsBefore(text: string, characters: number): number {
  if (isPlain(text)) return characters;
  let units = 0;
  for (let left = characters; left > 0 && units < text.length; left--)
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units;
}

/** Replaces at most `count` occurrences; a negative count replaces all. */
function replace(text: string, old: string, by: string, count: Integer): string {
  if (count < 0 && old !== '') return text.split(old).join(by);
  let left = count < 0 ? Infinity : Number(count);
  if (old === '') {
    const characters = Array.from(text, (c) => (left-- > 0 ? by + c : c));
    return characters.join('') + (left > 0 ? by : '');
  }
  let made = '';
  let from = 0;
  for (let at = text.indexOf(old); at >= 0 && left-- > 0; at = text.indexOf(old, from)) {
    made += text.slice(from, at) + by;
    from = at + old.length;
  }
  return made + text.slice(from);
}

/** Splits into at most `count` parts, the last one with the rest; a negative count sets no limit. */
function split(text: string, separator: string, count: Integer): readonly string[] {
  if (count === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (count < 0 || parts.length <= count) return parts;
  const last = Number(count) - 1;
  return [...parts.slice(0, last), parts.slice(last).join(separator)];
}

function substring(text: string, start: Integer, end?: Integer): string {
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  const length = codePointCount(text);
  if (start < 0 || start > length) return outOfRange(start);
  if (end !== undefined && (end < 0 || end > length)) return outOfRange(end);
  const [from, to] = [Number(start), end === undefined ? undefined : Number(end)];
  return length === text.length ? text.slice(from, to) : Array.from(text).slice(from, to).join('');
}

const whiteSpace = /^\p{White_Space}$/u;

/** Removes Unicode white space. JavaScript's `trim` also removes U+FEFF, but not U+0085. */
function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (end > 0 && whiteSpace.test(text.charAt(end - 1))) end--;
  while (start < end && whiteSpace.test(text.charAt(start))) start++;
  return text.slice(start, end);
}

function join(list: List, separator: string): string {
  const texts = elements(list).map((element) =>
    typeof element === 'string' ? element : fail(`join: invalid input: ${formatValue(element)}`),
  );
  return texts.join(separator);
}
