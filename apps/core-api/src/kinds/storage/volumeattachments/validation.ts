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

const { required, forbidden, invalid, tooLong } = fieldErrors;

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

/** Bytes of the names and values of the metadata; also what the error about a long message says. */
export const maxMetadataBytes = 256 * 1024;
export const maxMessageBytes = 1024;

const metadata: Check = (value, at) => {
  const bytes = Buffer.byteLength(
    Object.entries(isObject(value) ? value : {})
      .flat()
      .join(''),
  );
  return bytes > maxMetadataBytes ? [tooLong(at, '', maxMetadataBytes)] : [];
};

const volumeError = fields({
  message: (value, at) =>
    Buffer.byteLength(String(value ?? '')) > maxMessageBytes ? [tooLong(at, '', maxMetadataBytes)] : [],
  errorCode: (value, at) =>
    Number(value ?? 0) < 0 ? [invalid(at, value, 'must be between 0 and 2147483647, inclusive')] : [],
});

/** Checks the status of a VolumeAttachment. */
export const validateAttachmentStatus = fields({
  attachmentMetadata: metadata,
  attachError: volumeError,
  detachError: volumeError,
});

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
