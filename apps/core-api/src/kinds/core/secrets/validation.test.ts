import { Buffer } from 'node:buffer';
import {
  fieldErrorText,
  finish,
  type JsonObject,
  type KubeObject,
  maxObjectMembers,
  type Passes,
} from '@annex/machinery';
import { secretDefaults } from './defaults.ts';
import { expect, it } from 'vitest';
import { secretValidation } from './validation.ts';

const invalid = (why: string): string[] => [
  `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ${why}`,
];
const notAMap = (type: string): string[] =>
  invalid(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);

it.each([
  ['{"auths":{}}', []],
  ['null', []],
  ['x', invalid("invalid character 'x' looking for beginning of value")],
  ['{"a":1', invalid('unexpected end of JSON input')],
  ['', invalid('unexpected end of JSON input')],
  ['[]', notAMap('array')],
  ['"a"', notAMap('string')],
  ['1', notAMap('number')],
  ['true', notAMap('bool')],
])('the configuration %s of a registry', (text, errors) => {
  const secret: KubeObject = {
    metadata: { name: 'a' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  };
  const found = finish(secretValidation.content!(secret, undefined));
  expect(found.map(fieldErrorText)).toEqual(errors);
});

it('the texts of stringData count as members of data', () => {
  const members = (prefix: string, length: number): JsonObject =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`${prefix}${i}`, 'YQ==']));
  const half = maxObjectMembers / 2;
  const moved = (data: JsonObject, stringData: JsonObject): JsonObject => {
    const secret = { data, stringData };
    finish(secretDefaults(secret) as Passes<void>);
    return secret.data;
  };
  expect(Object.keys(moved(members('a', half), members('b', half)))).toHaveLength(maxObjectMembers);
  expect(moved(members('a', half), { a1: 'x' })).toMatchObject({ a0: 'YQ==', a1: 'eA==' });
  expect(() => moved(members('a', half), members('b', half + 1))).toThrow('members of one object');
});
