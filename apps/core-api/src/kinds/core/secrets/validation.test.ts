import { Buffer } from 'node:buffer';
import { fieldErrorText, finish, type KubeObject } from '@annex/machinery';
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
