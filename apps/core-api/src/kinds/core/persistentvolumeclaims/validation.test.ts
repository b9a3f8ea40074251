import { fieldErrorText, type JsonObject, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateClaimUpdate } from './validation.ts';

const claim = (storage: string | undefined, spec: object = {}, status: object = {}): KubeObject => ({
  metadata: { name: 'a' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: storage === undefined ? {} : { requests: { storage } },
    storageClassName: 'x',
    volumeMode: 'Filesystem',
    ...spec,
  } as JsonObject,
  status: status as JsonObject,
});
const bound = { phase: 'Bound', capacity: { storage: '6Gi' }, currentVolumeAttributesClassName: 'v' };
const ofClass = (volumeAttributesClassName: string) => ({ volumeAttributesClassName });
const fixed =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';
const size = 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity';
const attributes = (what: string): string =>
  `spec.volumeAttributesClassName: Forbidden: update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;

// The texts are those of kube-apiserver 1.36.3, without the difference of Go values.
it.each<[string, KubeObject, KubeObject, string[]]>([
  ['a pending claim shrinks', claim('10Gi'), claim('5Gi'), [fixed]],
  ['a pending claim requests nothing', claim('10Gi'), claim(undefined), [fixed, size]],
  ['a bound claim shrinks below its volume', claim('10Gi', {}, bound), claim('5Gi', {}, bound), [size]],
  ['a bound claim shrinks to its volume', claim('10Gi', {}, bound), claim('6Gi', {}, bound), [size]],
  ['a bound claim remains larger than its volume', claim('10Gi', {}, bound), claim('7Gi', {}, bound), []],
  ['a bound claim requests nothing', claim('10Gi', {}, bound), claim(undefined, {}, bound), [fixed, size]],
  [
    'the mode changes',
    claim('1Gi'),
    claim('1Gi', { volumeMode: 'Block' }),
    [fixed, 'volumeMode: Invalid value: "Block": field is immutable'],
  ],
  ['a class of attributes is set', claim('1Gi', {}, bound), claim('1Gi', ofClass('v'), bound), []],
  [
    'a class of attributes is removed',
    claim('1Gi', ofClass('w'), bound),
    claim('1Gi', {}, bound),
    [attributes('nil')],
  ],
  [
    'a class of attributes becomes empty',
    claim('1Gi', ofClass('w'), bound),
    claim('1Gi', ofClass(''), bound),
    [attributes('empty string')],
  ],
])('update of a PersistentVolumeClaim: %s', (_what, old, updated, expected) => {
  expect(validateClaimUpdate(updated, old).map(fieldErrorText)).toEqual(expected);
});
