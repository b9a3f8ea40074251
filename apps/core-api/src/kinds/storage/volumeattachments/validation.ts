import {
  type FieldError,
  fieldErrors,
  FieldPath,
  goPointer,
  goStruct,
  goText,
  isObject,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { type Check, childOf, fields, inSpec } from '../../shared/checks.ts';
import { validateCsiDriverName, validateSubdomain } from '../shared/validation.ts';

const { required, forbidden, invalid } = fieldErrors;

const source: Check = (value, at) => {
  const { inlineVolumeSpec, persistentVolumeName } = isObject(value) ? value : {};
  const hasName = typeof persistentVolumeName === 'string';
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (isObject(inlineVolumeSpec)) return hasName ? [forbidden(at, text)] : [];
  if (!hasName) return [required(at, text)];
  return persistentVolumeName === ''
    ? [required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : [];
};

const volumeName = (attachment: unknown): FieldError[] => {
  const { persistentVolumeName: name } = childOf(childOf(attachment, 'spec'), 'source');
  if (typeof name !== 'string') return [];
  const where = FieldPath.of('spec', 'source', 'persistentVolumeName');
  return validateDns1123Subdomain(name).map((why) => invalid(where, name, why));
};

/** Checks a VolumeAttachment. */
export const validateAttachment: Check = (value, at) => [
  ...inSpec(fields({ attacher: validateCsiDriverName, source, nodeName: validateSubdomain }))(value, at),
  ...volumeName(value),
];

/** Returns the Go value of a spec. */
export const goAttachmentSpec = goStruct([
  ['Attacher', 'attacher', goText],
  [
    'Source',
    'source',
    goStruct([
      ['PersistentVolumeName', 'persistentVolumeName', goPointer],
      ['InlineVolumeSpec', 'inlineVolumeSpec', goPointer],
    ]),
  ],
  ['NodeName', 'nodeName', goText],
]);
