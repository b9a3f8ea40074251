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
const fixed = (difference: string): string =>
  `spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${difference}`;
const resized = `@@ -6,7 +6,7 @@
  "Resources": {
   "Limits": null,
   "Requests": {
-   "storage": "10Gi"
+   "storage": "5Gi"
   }
  },
  "VolumeName": "",
`;
const unsized = `@@ -5,9 +5,7 @@
  "Selector": null,
  "Resources": {
   "Limits": null,
-  "Requests": {
-   "storage": "10Gi"
-  }
+  "Requests": null
  },
  "VolumeName": "",
  "StorageClassName": "x",
`;
const block = `@@ -11,7 +11,7 @@
  },
  "VolumeName": "",
  "StorageClassName": "x",
- "VolumeMode": "Filesystem",
+ "VolumeMode": "Block",
  "DataSource": null,
  "DataSourceRef": null,
  "VolumeAttributesClassName": null
`;
const size = 'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity';
const attributes = (what: string): string =>
  `spec.volumeAttributesClassName: Forbidden: update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;

// The texts are those of kube-apiserver 1.36.3.
it.each<[string, KubeObject, KubeObject, string[]]>([
  ['a pending claim shrinks', claim('10Gi'), claim('5Gi'), [fixed(resized)]],
  ['a pending claim requests nothing', claim('10Gi'), claim(undefined), [fixed(unsized), size]],
  ['a bound claim shrinks below its volume', claim('10Gi', {}, bound), claim('5Gi', {}, bound), [size]],
  ['a bound claim shrinks to its volume', claim('10Gi', {}, bound), claim('6Gi', {}, bound), [size]],
  ['a bound claim remains larger than its volume', claim('10Gi', {}, bound), claim('7Gi', {}, bound), []],
  [
    'a bound claim requests nothing',
    claim('10Gi', {}, bound),
    claim(undefined, {}, bound),
    [fixed(unsized), size],
  ],
  [
    'the mode changes',
    claim('1Gi'),
    claim('1Gi', { volumeMode: 'Block' }),
    [fixed(block), 'volumeMode: Invalid value: "Block": field is immutable'],
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
