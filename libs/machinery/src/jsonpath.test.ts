import { describe, expect, test } from 'vitest';
import { compileJsonPath, compileJsonPathTemplate } from './jsonpath.ts';

const data = {
  kind: 'x',
  items: [{ name: 'a', v: 1, ok: true }, { name: 'b', v: 2 }, { v: 3 }],
  'a.b': { c: 'd' },
  n: null,
};

describe('a path finds', () => {
  test.each<[string, unknown[]]>([
    ['.kind', ['x']],
    ['$.kind', ['x']],
    ['.items[0].name', ['a']],
    ['.items[-1].v', [3]],
    ['.items[*].name', ['a', 'b']],
    ['.items[0:2].v', [1, 2]],
    ['.items[::2].v', [1, 3]],
    ['.items[1,2].v', [2, 3]],
    ['.items[?(@.name=="b")].v', [2]],
    ['.items[?(@.v>=2)].v', [2, 3]],
    ['.items[?(@.ok)].name', ['a']],
    ['.items[?(@.name=="x)")].v', []],
    ['..v', [1, 2, 3]],
    ["['kind']", ['x']],
    ['.a\\.b.c', ['d']],
    ["['a\\.b'].c", ['d']],
    ['.missing.field', []],
    ['.n', [null]],
    ['.n.x', []],
    ['.constructor', []],
    ['.__proto__', []],
  ])('%s', (path, found) => expect(compileJsonPath(path).find(data)).toEqual(found));
});

describe('an invalid path has the error of kube-apiserver', () => {
  test.each([
    ['.items[', 'unterminated array'],
    ['.items[x]', 'invalid array index x'],
    ['|', "unrecognized character in action: U+007C '|'"],
    ['.items[?(@.v', 'unterminated filter'],
    ['.items[?(@.v)', 'unclosed array expect ]'],
    ['"a', 'unterminated quoted string'],
    ['....', 'invalid multiple recursive descent'],
  ])('%s', (path, message) => expect(() => compileJsonPath(path)).toThrow(new Error(message)));
});

describe('a path that does not fit the data fails', () => {
  test.each([
    ['.items[5]', 'array index out of bounds: index 5, length 3'],
    ['.kind[0]', 'string is not array or slice'],
    ['.items[2:1]', 'starting index 2 is greater than ending index 1'],
    ['.items[?(@.v=="a")]', 'incompatible types for comparison'],
    ['.items[?(@.v>1.5)]', 'incompatible types for comparison'],
    ['range', 'unrecognized identifier range'],
  ])('%s', (path, message) => expect(() => compileJsonPath(path).find(data)).toThrow(new Error(message)));
});

test('a template is a path in braces', () => {
  expect(compileJsonPathTemplate('{.kind}').find(data)).toEqual(['x']);
  expect(() => compileJsonPathTemplate('{.kind')).toThrow('unclosed action');
});

test.each([
  ['unions that find everything twice', '[0,0]'.repeat(40)],
  ['repeated descents', `${'..a'.repeat(12)}`],
  [
    'descents of descents in a union',
    `[${Array(2000).fill('*').join(',')}][${Array(2000).fill('*').join(',')}]`,
  ],
])('a path cannot find more values than fit into the memory: %s', (_, path) => {
  let list: unknown = 1;
  for (let i = 0; i < 40; i++) list = [list];
  let map: unknown = 1;
  for (let i = 0; i < 40; i++) map = { a: map };
  const value = path.startsWith('[') ? list : map;
  const found = path.includes('*')
    ? [
        [1, 2],
        [3, 4],
      ]
    : value;
  expect(() => compileJsonPath(path).find(found)).toThrow('more than 100000 values are found');
});
