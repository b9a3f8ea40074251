import { describe, expect, test } from 'vitest';
import { FieldPath, fieldErrorText } from './field.ts';
import type { ObjectMeta } from './meta.ts';
import { nameIsDnsSubdomain } from './names.ts';
import {
  validateFieldManager,
  validateLabelSelector,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
} from './validate-meta.ts';

const rules = { namespaced: true, nameCheck: nameIsDnsSubdomain };
const base: ObjectMeta = { name: 'a', namespace: 'default' };
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

describe('metadata of a new object', () => {
  test.each<[string, ObjectMeta, string[]]>([
    ['that is in order', { labels: { a: '' }, annotations: { 'Ex.COM/K': 'x\ny' }, finalizers: ['a/b'] }, []],
    ['without a name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['without a namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    [
      'with a bad label key',
      { labels: { 'a b': 'c' } },
      [`metadata.labels: Invalid value: "a b": ${namePart}`],
    ],
    [
      'with a bad annotation',
      { annotations: { 'A b': '' } },
      [`metadata.annotations: Invalid value: "A b": ${namePart}`],
    ],
    [
      'with annotations of more than 256 KiB in bytes',
      { annotations: { big: 'é'.repeat(131_072) } },
      // The limit is maxAnnotationsBytes.
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'with an empty owner',
      { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'owned by a version with two slashes',
      { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      'owned by an event',
      { ownerReferences: [{ ...owner, kind: 'Event' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'with two controllers',
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'p', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"p","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/o and ConfigMap/p',
      ],
    ],
    [
      'with both propagation finalizers',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'with a bad managed field',
      { managedFields: [{ operation: 'Patch' as 'Apply', fieldsType: 'V2' as 'FieldsV1' }] },
      [
        'metadata.managedFields[0].operation: Invalid value: "Patch": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
      ],
    ],
  ])('%s', (_what, meta, texts) => {
    expect(validateObjectMeta({ ...base, ...meta }, rules).map(fieldErrorText)).toEqual(texts);
  });

  test('of a cluster-scoped kind has no namespace', () => {
    const errors = validateObjectMeta(base, { ...rules, namespaced: false });
    expect(errors.map(fieldErrorText)).toEqual(['metadata.namespace: Forbidden: not allowed on this type']);
  });
});

describe('metadata of an update', () => {
  const old: ObjectMeta = {
    ...base,
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  test.each<[string, ObjectMeta, ObjectMeta, string[]]>([
    ['that is in order', {}, {}, []],
    [
      'without a resource version',
      { resourceVersion: '' },
      {},
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    ['with another uid', { uid: 'v' }, {}, ['metadata.uid: Invalid value: "v": field is immutable']],
    ['with another name', { name: 'b' }, {}, ['metadata.name: Invalid value: "b": field is immutable']],
    [
      'with the same moment written in another way',
      { creationTimestamp: '2026-01-01T01:00:00+01:00' },
      {},
      [],
    ],
    [
      'with a lower generation',
      { generation: 1 },
      {},
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
    [
      'with a new finalizer while the object is deleted',
      { finalizers: ['a/b', 'a/c'] },
      { finalizers: ['a/c'], deletionTimestamp: '2026-01-02T00:00:00Z' },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}',
      ],
    ],
  ])('%s', (_what, change, before, texts) => {
    const previous = { ...old, ...before };
    expect(validateObjectMetaUpdate({ ...previous, ...change }, previous).map(fieldErrorText)).toEqual(texts);
  });
});

test('a finalizer of a built-in kind is qualified or a standard one', () => {
  const errors = validateStandardFinalizers(
    ['orphan', 'kubernetes', 'a/b', 'mine'],
    FieldPath.of('metadata', 'finalizers'),
  );
  expect(errors.map(fieldErrorText)).toEqual([
    'metadata.finalizers[3]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

test('a field manager is short and printable', () => {
  const check = (manager: string) =>
    validateFieldManager(manager, FieldPath.of('fieldManager')).map(fieldErrorText);
  expect(check('kubectl client')).toEqual([]);
  expect(check('m'.repeat(129))).toEqual(['fieldManager: Too long: may not be more than 128 bytes']);
  expect(check('é\n')).toEqual([
    'fieldManager: Invalid value: "é\\n": invalid character U+000A (at position 2)',
  ]);
});

test('a LabelSelector object is checked with paths', () => {
  const errors = validateLabelSelector(
    {
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['x'] },
        { key: 'c', operator: 'Like' },
      ],
    },
    FieldPath.of('spec', 'selector'),
  );
  expect(errors.map(fieldErrorText)).toEqual([
    "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    'spec.selector.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
  ]);
});
