import { FieldPath, fieldErrorText, type JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { maxMessageBytes, maxMetadataBytes, validateAttachmentStatus } from './validation.ts';

it.each<[string, JsonObject, string[]]>([
  [
    'a negative code',
    { attachError: { errorCode: -1 }, detachError: { errorCode: 0 } },
    ['status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
  [
    'a message longer than maxMessageBytes',
    {
      attachError: { message: 'a'.repeat(maxMessageBytes) },
      detachError: { message: 'é'.repeat(maxMessageBytes) },
    },
    ['status.detachError.message: Too long: may not be more than 262144 bytes'],
  ],
  [
    'metadata of more than maxMetadataBytes',
    { attachmentMetadata: { a: 'a'.repeat(maxMetadataBytes) } },
    ['status.attachmentMetadata: Too long: may not be more than 262144 bytes'],
  ],
])('the status of an attachment may not have %s', (_, status, expected) => {
  expect(validateAttachmentStatus(status, FieldPath.of('status')).map(fieldErrorText)).toEqual(expected);
});
