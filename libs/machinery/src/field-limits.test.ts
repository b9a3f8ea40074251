import { describe, expect, it } from 'vitest';
import { errorsOfEach } from './errors-of-each.ts';
import {
  type FieldError,
  fieldErrors,
  fieldErrorsText,
  maxFieldErrors,
  maxFieldErrorsLength,
  reportFieldErrors,
} from './field.ts';
import { invalid } from './status.ts';
import type { ObjectMeta, OwnerReference } from './meta.ts';
import { FieldPath } from './field.ts';
import { validateObjectMetaUpdate, validateOwnerReferences } from './validate-meta.ts';

const required = (index: number): FieldError => fieldErrors.required(`items[${index}]`);
const rest = 'and more errors, which are not reported]';

describe('errors of one object', () => {
  it('are all reported up to the limit', () => {
    const errors = Array.from({ length: maxFieldErrors }, (_, i) => required(i));
    expect(fieldErrorsText(errors).endsWith(`items[${maxFieldErrors - 1}]: Required value]`)).toBe(true);
  });

  it('are reported up to maxFieldErrors, with a note of further errors', () => {
    const errors = Array.from({ length: 2 * maxFieldErrors }, (_, i) => required(i));
    const { status } = invalid({ group: '', kind: 'Pod' }, 'a', errors);
    expect(status.details?.causes).toHaveLength(maxFieldErrors);
    expect(status.message?.endsWith(rest)).toBe(true);
  });

  it('are reported up to maxFieldErrorsLength if they quote large values', () => {
    const value = 'x'.repeat(maxFieldErrorsLength / 4);
    const errors = Array.from({ length: 900 }, (_, i) => fieldErrors.invalid(`items[${i}]`, value, 'bad'));
    const { status } = invalid({ group: '', kind: 'Pod' }, 'a', errors);
    expect(status.details?.causes).toHaveLength(4);
    expect(status.message?.endsWith(rest)).toBe(true);
  });

  it('print a value that all of them quote once', () => {
    let printed = 0;
    const item = {
      get name() {
        printed += 1;
        return 'n';
      },
    };
    const value = Array(100).fill(item);
    const errors = Array.from({ length: 400 }, (_, i) => fieldErrors.invalid(`items[${i}]`, value, 'bad'));
    const { status } = invalid({ group: '', kind: 'Pod' }, 'a', errors);
    expect(status.details?.causes?.at(-1)?.message).toMatch(/^Invalid value: \[\{"name":"n"\},/);
    expect(printed).toBe(100);
  });

  it('quote the characters that HTML reserves as Go does', () => {
    const error = fieldErrors.invalid('a', ['<b>&\u2028\u2029'], 'bad');
    expect(fieldErrorsText([error])).toBe('a: Invalid value: ["\\u003cb\\u003e\\u0026\\u2028\\u2029"]: bad');
  });

  it('the first one is reported, whatever the size of its value', () => {
    const value = 'x'.repeat(2 * maxFieldErrorsLength);
    expect(
      invalid({ group: '', kind: 'Pod' }, 'a', [fieldErrors.invalid('a', value, 'bad')]).status.details
        ?.causes,
    ).toHaveLength(1);
  });

  it('are looked for in no further item when there are enough', () => {
    let looked = 0;
    errorsOfEach(Array(1_000_000).fill({}), () => (looked++, [required(0), required(1)]));
    expect(looked).toBe(maxFieldErrors / 2 + 1);
  });
});

it('25,000 owner references that are all controllers are printed once', () => {
  const references = Array.from({ length: 25_000 }, (_, i): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'Node',
    name: 'a',
    uid: `u${i}`,
    controller: true,
  }));
  const errors = validateOwnerReferences(references, FieldPath.of('metadata', 'ownerReferences'));
  expect(new Set(errors.map(({ badValue }) => badValue)).size).toBe(1);
});

it('100,000 finalizers of an object that is being deleted are compared in linear time', () => {
  const finalizers = Array.from({ length: 100_000 }, (_, i) => `example.com/f${i}`);
  const meta: ObjectMeta = {
    name: 'a',
    uid: 'u',
    resourceVersion: '1',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers,
  };
  const [error] = validateObjectMetaUpdate(meta, { ...meta, finalizers: finalizers.slice(1) });
  expect(error?.detail).toContain('found new finalizers []string{"example.com/f0"}');
});

it('items are not checked when their errors are longer than maxFieldErrorsLength', () => {
  const text = 'x'.repeat(maxFieldErrorsLength / 4);
  let checked = 0;
  const errors = errorsOfEach(new Array<string>(1000).fill(text), (item, i) => {
    checked++;
    return [fieldErrors.invalid(`a[${i}]`, item, 'no')];
  });
  expect(checked).toBe(5);
  expect(reportFieldErrors(errors).message).toMatch(/and more errors, which are not reported\]$/);
});
