import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@annex/machinery';
import type { ClientRequest } from '@annex/client';
import type { Registration } from './registration.ts';

const group = '/apis/wardle.example.com';
const flunders = `${group}/v1alpha1/namespaces/default/flunders`;
const betas = `${group}/v1beta1/namespaces/default/flunders`;

const merge = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const asJson = { 'content-type': 'application/json' };

const flunder = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'wardle.example.com/v1alpha1',
  kind: 'Flunder',
  metadata: { name },
  ...more,
});

type Case = [name: string, request: ClientRequest, status: number, says?: string | RegExp];

const get = (path: string, headers = {}): ClientRequest => ({ method: 'GET', path, headers });
const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): ClientRequest => ({
  method,
  path,
  ...(body === undefined
    ? {}
    : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: asJson }),
});
const patch = (path: string, headers: Record<string, string>, body: unknown): ClientRequest => ({
  method: 'PATCH',
  path,
  headers,
  body: JSON.stringify(body),
});

/** In their order: each may need what those before it left. */
const cases: Case[] = [
  ['an object', send('POST', flunders, flunder('r')), 201],
  [
    'the same again',
    send('POST', flunders, flunder('r')),
    409,
    'flunders.wardle.example.com "r" already exists',
  ],
  [
    'no name',
    send('POST', flunders, flunder('')),
    422,
    'metadata.name: Required value: name or generateName is required',
  ],
  ['half a body', send('POST', flunders, '{'), 400, 'unexpected end of JSON input'],
  ['a list for a body', send('POST', flunders, '[]'), 400, 'cannot unmarshal array into Go value'],
  [
    'another namespace',
    send('POST', flunders, flunder('x', { metadata: { name: 'x', namespace: 'other' } })),
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'another version',
    send('POST', flunders, flunder('x', { apiVersion: 'wardle.example.com/v1beta1' })),
    400,
    'the API version in the data (wardle.example.com/v1beta1) does not match the expected API version (wardle.example.com/v1alpha1)',
  ],
  ['a dry run', send('POST', `${flunders}?dryRun=All`, flunder('dry')), 201],
  ['which made nothing', get(`${flunders}/dry`), 404, 'flunders.wardle.example.com "dry" not found'],
  [
    'a dry run of something',
    send('POST', `${flunders}?dryRun=Some`, flunder('dry')),
    422,
    'dryRun: Unsupported value: ["Some"]: supported values: "All"',
  ],
  [
    'an unknown field, strictly',
    send('POST', `${flunders}?fieldValidation=Strict`, flunder('x', { spec: { nothing: 1 } })),
    400,
    'strict decoding error: unknown field "spec.nothing"',
  ],
  [
    'a field twice, strictly',
    send(
      'POST',
      `${flunders}?fieldValidation=Strict`,
      '{"apiVersion":"wardle.example.com/v1alpha1","kind":"Flunder","metadata":{"name":"x"},"spec":{"reference":"a","reference":"b"}}',
    ),
    400,
    'strict decoding error: duplicate field "spec.reference"',
  ],
  [
    'an unknown way of validation',
    send('POST', `${flunders}?fieldValidation=Hard`, flunder('x')),
    422,
    'fieldValidation: Unsupported value: "Hard"',
  ],
  [
    'an update without a version',
    send('PUT', `${flunders}/r`, flunder('r')),
    422,
    /resourceVersion: Invalid value: \S+ must be specified for an update/,
  ],
  [
    'an update of another name',
    send('PUT', `${flunders}/r`, flunder('s')),
    400,
    'the name of the object (s) does not match the name on the URL (r)',
  ],
  [
    'an update of an old version',
    send('PUT', `${flunders}/r`, flunder('r', { metadata: { name: 'r', resourceVersion: '1' } })),
    409,
    'the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    'an update of what is not there',
    send('PUT', `${flunders}/none`, flunder('none')),
    404,
    '"none" not found',
  ],
  ['a merge patch', patch(`${flunders}/r`, merge, { spec: { reference: 'other' } }), 200],
  ['seen in the other version', get(`${betas}/r`), 200, '"flunderReference":"other"'],
  [
    'a merge patch of the name',
    patch(`${flunders}/r`, merge, { metadata: { name: 's' } }),
    400,
    'the name of the object (s) does not match the name on the URL (r)',
  ],
  [
    'a JSON patch',
    patch(`${flunders}/r`, jsonPatch, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
    200,
  ],
  [
    'a JSON patch whose test fails',
    patch(`${flunders}/r`, jsonPatch, [{ op: 'test', path: '/metadata/labels/a', value: 'c' }]),
    422,
    'the server rejected our request due to an error in our request',
  ],
  [
    'a JSON patch that is none',
    patch(`${flunders}/r`, jsonPatch, {}),
    400,
    'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  ],
  [
    'an apply without a manager',
    patch(`${flunders}/r`, apply, flunder('r')),
    422,
    'fieldManager: Required value: is required for apply patch',
  ],
  [
    'an apply that makes an object',
    patch(`${flunders}/applied?fieldManager=m`, apply, flunder('applied', { spec: { reference: 'a' } })),
    201,
  ],
  [
    'an apply of a conflict',
    patch(`${flunders}/applied?fieldManager=n`, apply, flunder('applied', { spec: { reference: 'b' } })),
    409,
    'Apply failed with 1 conflict: conflict with "m": .spec.reference',
  ],
  ['the first of two', get(`${flunders}?limit=1`), 200, /"remainingItemCount":1/],
  ['a continuation that is none', get(`${flunders}?limit=1&continue=x`), 400, 'continue key is not valid'],
  ['a limit that is none', get(`${flunders}?limit=x`), 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['labels', get(`${flunders}?labelSelector=a%3Db`), 200, /"name":"r"/],
  ['labels that are none', get(`${flunders}?labelSelector=%24`), 400, 'unable to parse requirement'],
  ['fields', get(`${flunders}?fieldSelector=metadata.name%3Dr`), 200, /"name":"r"/],
  [
    'fields that are none',
    get(`${flunders}?fieldSelector=x`),
    400,
    "invalid selector: 'x'; can't understand 'x'",
  ],
  [
    'exactly the newest version',
    get(`${flunders}?resourceVersionMatch=Exact`),
    422,
    'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  ],
  [
    'initial events without a watch',
    get(`${flunders}?sendInitialEvents=true`),
    422,
    'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  ],
  [
    'a version of the future',
    get(`${flunders}?resourceVersion=99999999`),
    504,
    'Too large resource version: 99999999',
  ],
  [
    'a table',
    get(flunders, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    200,
    /"columnDefinitions":\[\{"name":"Name".*"name":"Created At"/,
  ],
  [
    'metadata only',
    get(`${flunders}/r`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    200,
    '"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"',
  ],
  [
    'a watch from the beginning',
    get(`${flunders}?watch=1&resourceVersion=0&timeoutSeconds=1`),
    200,
    /^{"type":"ADDED","object":[^]*\n{"type":"ADDED","object":[^]*\n$/,
  ],
  [
    'a watch of an unknown version',
    get(`${flunders}?watch=1&resourceVersion=x&timeoutSeconds=1`),
    500,
    'resourceVersion: Invalid value: "x"',
  ],
  ['a status that flunders have not', get(`${flunders}/r/status`), 404],
  [
    'a deletion of another object',
    send('DELETE', `${flunders}/r`, { preconditions: { uid: 'x' } }),
    409,
    'the UID in the precondition (x) does not match the UID in record',
  ],
  ['a deletion with half a body', send('DELETE', `${flunders}/r`, '{'), 400],
  [
    'a deletion that waits',
    patch(`${flunders}/r`, merge, { metadata: { finalizers: ['example.com/wait'] } }),
    200,
  ],
  ['which is begun', send('DELETE', `${flunders}/r`), 200, '"deletionTimestamp":'],
  ['and ends', patch(`${flunders}/r`, merge, { metadata: { finalizers: null } }), 200],
  ['with nothing', get(`${flunders}/r`), 404],
  ['all at once', send('DELETE', flunders), 200, '"kind":"FlunderList"'],
  [
    'the document of a group in YAML',
    get(group, { accept: 'application/yaml' }),
    200,
    'kind: APIGroup\nname: wardle.example.com\n',
  ],
];

/** How requests are answered, word by word, whoever serves flunders. */
export function wardleRequests(registered: () => Registration): void {
  describe('requests, in their turn,', () => {
    it.each(cases)('%s', async (_name, request, status, says = '') => {
      const text = says instanceof RegExp ? expect.stringMatching(says) : expect.stringContaining(says);
      const answer = await registered().ask(request);
      expect({ status: answer.status, text: saidIn(answer.text) }).toEqual({ status, text: text as string });
    });
  });
}

/** The message of a Status; everything else as it is. */
function saidIn(text: string): string {
  const { kind, message } = text.startsWith('{"kind":"Status"')
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
  return kind === 'Status' && typeof message === 'string' ? message : text;
}
