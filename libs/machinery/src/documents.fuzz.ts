import { isUtf8 } from 'node:buffer';
import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { parseJson, stringifyJson } from './json.ts';
import { isObject, type JsonObject, type JsonValue } from './json-object.ts';
import { applyJsonPatch, PatchError } from './json-patch.ts';
import { compileJsonPathTemplate } from './jsonpath.ts';
import { JsonPathError } from './jsonpath-parser.ts';
import { applyMergePatchInPasses } from './merge-patch.ts';
import { finish } from './passes.ts';
import { StatusError } from './status.ts';
import { exceedsDepth, findDuplicateFields, nestsTooDeep } from './strict.ts';
import { encodeYaml } from './encode-yaml.ts';
import { decodeYaml, YamlError } from './yaml.ts';

const documents = [
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"1"}},"data":{"k":"v\\n\\u00e9"}}',
  '[1,-0,1.5e3,12345678901234567890,9007199254740993,true,null,"\\ud83d\\ude00",{}]',
  '{"a":1,"a":{"b":[]},"__proto__":{"x":1},"constructor":null}',
  String.raw`[{"a":1,"\\":2},{"b":{"a":1,"\u0061":3}}]`,
];
const jsonWords = [
  '{',
  '}',
  '[',
  ']',
  '":',
  ',',
  'true',
  'false',
  'null',
  '\\u0000',
  '\\ud800',
  '1e400',
  '""',
];

/** Encodes JSON with sorted keys, as the Go functions do. */
export function sortedText(value: unknown): string {
  return sortedJson(value as JsonValue).replace(
    /[\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16)}`,
  );
}

/** An object cannot have sorted keys: those that are integers come first. */
function sortedJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return stringifyJson(value);
  const entries = Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member as JsonValue)}`).join(',')}}`;
}

/** Go keeps the texts of these numbers, and converts them to float64 later. */
const unusualNumber = /\d[.eE]|\d{16}|-0/;

/** Returns whether a patch by Go is comparable: Go replaces each byte of an invalid sequence by U+FFFD. */
const isComparable = (input: Uint8Array): boolean =>
  isUtf8(input) && !unusualNumber.test(Buffer.from(input).toString('latin1'));

/** Converts all numbers to float64: integral ones are written and read as integers. */
function withFloats(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withFloats);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withFloats(member)]));
}

/** Parses a document and a patch, separated by the first line feed. */
function twoDocuments(input: Uint8Array): [JsonValue, JsonValue] | undefined {
  const text = utf8Text(input);
  const end = text.indexOf('\n');
  const parse = (part: string) => orError(() => parseJson(part), [SyntaxError]);
  const [document, patch] = [parse(text.slice(0, end)), parse(text.slice(end + 1))];
  if (end < 0 || document instanceof Error || patch instanceof Error) return undefined;
  return [document, patch];
}

/** The library reads `from` of moves and copies only; kube-apiserver decodes all of the patch before. */
const hasUnreadFrom = (patch: JsonValue): boolean =>
  Array.isArray(patch) &&
  patch.some((operation) => isObject(operation) && typeof (operation.from ?? '') !== 'string');

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'json',
    seeds: documents,
    dictionary: jsonWords,
    run(input) {
      const text = utf8Text(input);
      const tooDeep = exceedsDepth(text);
      const value = orError(() => parseJson(text), [SyntaxError]);
      const plain = orError(() => JSON.parse(text) as JsonValue, [SyntaxError]);
      if (value instanceof Error) {
        if (!(plain instanceof Error) && !value.message.includes('cannot unmarshal number')) {
          throw new Error(`JSON.parse accepts it, parseJson refuses it: ${value.message}`);
        }
        return;
      }
      if (plain instanceof Error) throw new Error('JSON.parse refuses it');
      if (tooDeep) return;
      findDuplicateFields(text, value);
      nestsTooDeep(value);
      // A float64 can be written as an integer, which is then read as an integer.
      const written = stringifyJson(value);
      if (stringifyJson(parseJson(written)) !== written) throw new Error(`written as ${written}`);
    },
  },
  {
    name: 'json-patch',
    go: 'json-patch',
    seeds: [
      '{"a":{"b":[1,2,3]}}\n[{"op":"add","path":"/a/b/-","value":4},{"op":"remove","path":"/a/b/0"}]',
      '{"a":1,"b~/c":2}\n[{"op":"test","path":"/b~0~1c","value":2},{"op":"move","from":"/a","path":"/d"}]',
      '{"a":[{"x":1}]}\n[{"op":"copy","from":"/a/0","path":"/a/1"},{"op":"replace","path":"/a/0/x","value":null}]',
      '{}\n[{"op":"add","path":"","value":{"a":1}}]',
      '[1]\n[{"op":"add","path":"/-1","value":0}]',
    ],
    dictionary: [...jsonWords, '"op":', '"path":', '"from":', '"value":', '"add"', '"remove"', '"replace"', '"move"', '"copy"', '"test"', '~0', '~1', '/-'], // prettier-ignore
    maxBytes: 1024,
    run(input) {
      const documents = twoDocuments(input);
      if (documents === undefined) return;
      const [document, patch] = documents;
      // Stored documents are objects.
      if (typeof document !== 'object' || document === null) return;
      const patched = orError(() => applyJsonPatch(document, patch), [PatchError, StatusError]);
      if (!isComparable(input) || hasUnreadFrom(patch)) return;
      return patched instanceof Error ? 'error' : sortedText(patched);
    },
  },
  {
    name: 'merge-patch',
    go: 'merge-patch',
    seeds: [
      '{"a":{"b":1,"c":[1]}}\n{"a":{"b":null,"d":{"e":null}},"f":[{"g":null}]}',
      '{"__proto__":{"x":1}}\n{"__proto__":{"x":null,"y":2}}',
    ],
    dictionary: jsonWords,
    run(input) {
      const documents = twoDocuments(input);
      if (documents === undefined || !isObject(documents[0])) return;
      const [document, patch] = documents;
      const patched = orError(
        () => finish(applyMergePatchInPasses(document as JsonObject, patch, true)),
        [StatusError],
      );
      if (!isComparable(input)) return;
      return patched instanceof Error ? 'error' : sortedText(patched);
    },
  },
  {
    name: 'yaml',
    seeds: [
      ...documents,
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: "1"}\ndata:\n  k: |\n    text\n    more\n',
      'a: &x [1, 0x1F, 017, 1_000, .inf, ~, yes, 2026-11-22]\nb: *x\nc: {<<: {d: 1}, e: !!str 5}\n? f\n: - g\n  - >-\n    h\n    i\n',
      "--- # comment\n\"quoted \\u0041\": 'it''s'\n...\n---\nsecond: 1\n",
      '%YAML 1.1\n---\na: !!binary aGk=\n',
    ],
    dictionary: [
      '---',
      '...',
      '&a',
      '*a',
      '<<:',
      '!!str',
      '!!binary',
      '? ',
      ': ',
      '- ',
      '|',
      '>-',
      '#',
      '{',
      '}',
      '[',
      ']',
      '\t',
      '  ',
      '~',
      'y',
      'on',
      '.nan',
      '0o7',
      '%TAG',
    ],
    // The parser takes most of a millisecond for a kilobyte.
    maxBytes: 384,
    async run(input) {
      const decoded = await decodeYaml(utf8Text(input)).catch((error: unknown) => {
        if (error instanceof YamlError) return undefined;
        throw error;
      });
      // Objects are written. A single text is written as in Go; it differs when it is read again if it begins
      // with a line feed.
      if (decoded === undefined || typeof decoded.value !== 'object') return;
      const written = encodeYaml(decoded.value);
      // Go also writes this key unquoted, and it is read as a merge.
      if (written.includes('<<')) return;
      const reread = await decodeYaml(written);
      const [before, after] = [decoded.value, reread.value].map((value) =>
        sortedText(withFloats(value as JsonValue)),
      );
      if (before !== after) throw new Error(`written as ${written}`);
    },
  },
  {
    name: 'jsonpath',
    seeds: [
      '{.metadata.name}',
      '{.items[*].name}',
      '{.items[?(@.size>1)].name}',
      '{.items[0:2:1]}',
      "{['kind','metadata']}",
      '{..name}',
      '{.items[-1].tags[0,1]}',
      'text {.kind} {range .items[*]}{.name}{end}',
      '{.metadata.labels.x\\.y/z}',
      '{"quoted"}',
    ],
    dictionary: [
      '{',
      '}',
      '[',
      ']',
      '..',
      '[*]',
      '[?(',
      ')]',
      '@.',
      '==',
      '!=',
      '<=',
      '>=',
      '&&',
      'range',
      'end',
      ':',
      "'",
      '"',
      '\\',
    ],
    maxBytes: 128,
    run(input) {
      const path = orError(() => compileJsonPathTemplate(utf8Text(input)), [JsonPathError]);
      if (path instanceof Error) return;
      orError(() => path.find(pathObject), [JsonPathError]);
    },
  },
];

const pathObject = {
  kind: 'List',
  metadata: { name: 'a', labels: { 'x.y/z': '1', b: '2' } },
  items: [
    { name: 'one', size: 1, ok: true },
    { name: 'two', size: 2, tags: ['u', 'v', 'w'] },
    { name: 'three', size: 3.5 },
  ],
};
