import { expect, test } from 'vitest';
import { readResponse, type Review } from './review.ts';

const review: Review = { uid: 'u', version: 'v1', body: '' };
const reply = (response: object, type: object = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    ...type,
    response: { uid: 'u', allowed: true, ...response },
  });
const field = (name: string, got: string, want: string) =>
  `failed to call webhook: json: cannot unmarshal ${got} into Go struct field ${name} of type ${want}`;
const invalid = (why: string) => `received invalid webhook response: ${why}`;
const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

test.each([
  [
    'an invalid status',
    reply({ status: 'x' }),
    field('AdmissionResponse.response.status', 'string', 'v1.Status'),
  ],
  [
    'a code that is a string',
    reply({ status: { code: '403' } }),
    field('Status.response.status.code', 'string', 'int32'),
  ],
  [
    'a code out of range',
    reply({ status: { code: 99999999999 } }),
    field('Status.response.status.code', 'number 99999999999', 'int32'),
  ],
  [
    'allowed as a string',
    reply({ allowed: 'true' }),
    field('AdmissionResponse.response.allowed', 'string', 'bool'),
  ],
  [
    'warnings that are not strings',
    reply({ warnings: [5] }),
    field('AdmissionResponse.response.warnings', 'number', 'string'),
  ],
  [
    'annotations that are a list',
    reply({ auditAnnotations: [] }),
    field('AdmissionResponse.response.auditAnnotations', 'array', 'map[string]string'),
  ],
  [
    'a patch that is not base64',
    reply({ patch: '@' }),
    'failed to call webhook: illegal base64 data at input byte 0',
  ],
  ['another uid', reply({ uid: 'v' }), invalid('expected response.uid="u", got "v"')],
  [
    'no response',
    '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
    invalid('webhook response was absent'),
  ],
  ['null', 'null', invalid('webhook response was absent')],
  [
    'no type',
    reply({}, { apiVersion: undefined, kind: undefined }),
    invalid('expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind='),
  ],
  [
    'an unknown kind',
    reply({}, { kind: 'Foo' }),
    'failed to call webhook: no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'the other version',
    reply({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
    'failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
  ],
  [
    'a Status',
    reply({}, { apiVersion: 'v1', kind: 'Status' }),
    'failed to call webhook: converting (v1.Status) to (v1.AdmissionReview): unknown conversion',
  ],
  [
    'a version of three parts',
    reply({}, { apiVersion: 'a/b/c' }),
    'failed to call webhook: unexpected GroupVersion string: a/b/c',
  ],
  [
    'a list',
    '[]',
    `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${typeMeta}`,
  ],
  [
    'text',
    'hello',
    `failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta}`,
  ],
])("a response with %s is refused with Go's message", async (_, text, message) => {
  await expect(readResponse(text, review, true)).rejects.toThrow(new Error(message));
});

test.each([
  ['JSON', reply({ warnings: ['w'] })],
  ['JSON after a byte order mark', `\ufeff${reply({ warnings: ['w'] })}`],
  [
    'YAML',
    'apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: u, allowed: true, warnings: [w]}',
  ],
])('a response may be %s', async (_, text) => {
  expect(await readResponse(text, review, true)).toEqual({
    allowed: true,
    warnings: ['w'],
    auditAnnotations: {},
  });
});
