import { describe, expect, test } from 'vitest';
import { parseFieldSelector } from './fields.ts';

describe('a field selector is read', () => {
  test.each([
    ['', []],
    ['metadata.name=x', [{ field: 'metadata.name', operator: '=', value: 'x' }]],
    ['a==b', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a!=', [{ field: 'a', operator: '!=', value: '' }]],
    ['a=b\\,c\\=d\\\\', [{ field: 'a', operator: '=', value: 'b,c=d\\' }]],
    [',=', []],
  ])('%j', (text, requirements) => expect(parseFieldSelector(text).requirements).toEqual(requirements));

  test('and printed with its escapes', () => {
    expect(parseFieldSelector('b!=x\\,y,a=1').toString()).toBe('a=1,b!=x\\,y');
  });
});

describe('an invalid field selector has the error of kube-apiserver', () => {
  test.each([
    ['spec.color', "invalid selector: 'spec.color'; can't understand 'spec.color'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j', (text, message) => expect(() => parseFieldSelector(text)).toThrow(new Error(message)));
});

test('a selector matches the values that the lookup gives', () => {
  const lookup = (field: string) => ({ 'metadata.name': 'a', 'spec.color': 'blue' })[field] ?? '';
  expect(parseFieldSelector('metadata.name=a,spec.color!=red').matches(lookup)).toBe(true);
  expect(parseFieldSelector('spec.size=').matches(lookup)).toBe(true);
  expect(parseFieldSelector('metadata.name=b').matches(lookup)).toBe(false);
});

test('the error names an unsupported field', () => {
  const supported = new Set(['metadata.name']);
  expect(() => parseFieldSelector('metadata.name=a,spec.price=1').restrictedTo(supported)).toThrow(
    'field label not supported: spec.price',
  );
});
