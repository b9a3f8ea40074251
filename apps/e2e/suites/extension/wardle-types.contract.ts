import {
  apply,
  betas,
  type Case,
  flunder,
  flunders,
  get,
  group,
  jsonPatch,
  merge,
  patch,
  playCases,
  send,
} from './wardle-case.ts';
import type { Registration } from './registration.ts';

const fischers = `${group}/v1alpha1/fischers`;
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const dryRun = `${flunders}?dryRun=All`;
const protobuf = 'application/vnd.kubernetes.protobuf';

/** Cases in order, because a case may depend on earlier ones. */
const cases: Case[] = [
  [
    'an object that leaves its type to the URL',
    send('POST', flunders, { metadata: { name: 'typed' } }),
    201,
    /"kind":"Flunder","apiVersion":"wardle.example.com\/v1alpha1".*"spec":\{\},"status":\{\}/,
  ],
  ['a name that no custom resource may have', send('POST', dryRun, flunder('A_b')), 201, '"name":"A_b"'],
  [
    'a number for a text',
    send('POST', dryRun, flunder('x', { spec: { reference: 5 } })),
    400,
    'Flunder in version "v1alpha1" cannot be handled as a Flunder: json: cannot unmarshal number into Go struct field FlunderSpec.spec.reference of type string',
  ],
  [
    'a boolean for a named string type',
    send('POST', dryRun, flunder('x', { spec: { referenceType: true } })),
    400,
    'json: cannot unmarshal bool into Go struct field FlunderSpec.spec.referenceType of type v1alpha1.ReferenceType',
  ],
  [
    'a list for a struct',
    send('POST', dryRun, flunder('x', { spec: [] })),
    400,
    'json: cannot unmarshal array into Go struct field Flunder.spec of type v1alpha1.FlunderSpec',
  ],
  [
    'a text for a list',
    send('POST', fischers, { metadata: { name: 'x' }, disallowedFlunders: 'a' }),
    400,
    'json: cannot unmarshal string into Go struct field Fischer.disallowedFlunders of type []string',
  ],
  [
    'an empty list and nulls',
    send('POST', `${fischers}?dryRun=All`, { metadata: { name: 'x', labels: null }, disallowedFlunders: [] }),
    201,
    /^(?!.*disallowedFlunders)/,
  ],
  [
    'another kind of the group',
    send('POST', dryRun, flunder('x', { kind: 'Fischer' })),
    400,
    'Fischer in version "v1alpha1" cannot be handled as a Flunder: converting (v1alpha1.Fischer) to (wardle.Flunder): unknown conversion',
  ],
  [
    'a kind that is none',
    send('POST', dryRun, flunder('x', { kind: 'Shark' })),
    400,
    'no kind "Shark" is registered for version "wardle.example.com/v1alpha1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'a status for an object',
    send('POST', dryRun, { kind: 'Status', metadata: {} }),
    400,
    'converting (v1.Status) to (wardle.Flunder): unknown conversion',
  ],
  [
    'an unsupported media type',
    { method: 'POST', path: dryRun, headers: { 'content-type': 'text/plain' }, body: '{}' },
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
  [
    'protobuf that is none',
    { method: 'POST', path: dryRun, headers: { 'content-type': protobuf }, body: '{}' },
    400,
    'provided data does not appear to be a protobuf message',
  ],
  [
    'unknown fields in the order in which they are met',
    send('POST', `${dryRun}&fieldValidation=Strict`, flunder('x', { spec: { z: 1, a: 2 }, b: 3 })),
    400,
    'strict decoding error: unknown field "spec.z", unknown field "spec.a", unknown field "b"',
  ],
  [
    'a strategic merge patch',
    patch(`${flunders}/typed`, strategic, {
      metadata: { finalizers: ['a.io/one'] },
      spec: { reference: 'a' },
    }),
    200,
    '"spec":{"reference":"a","referenceType":"Flunder"}',
  ],
  [
    'a strategic merge patch of a set',
    patch(`${flunders}/typed`, strategic, { metadata: { finalizers: ['a.io/two'] } }),
    200,
    /"finalizers":\["a.io\/(two","a.io\/one|one","a.io\/two)"\]/,
  ],
  [
    'a strategic merge patch that removes from a set',
    patch(`${flunders}/typed`, strategic, {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a.io/one', 'a.io/two'] },
    }),
    200,
    /^(?!.*a\.io)/,
  ],
  [
    'a strategic merge patch of another type',
    patch(`${flunders}/typed`, strategic, { spec: 5 }),
    422,
    'cannot restore struct from: int64',
  ],
  [
    'a merge patch of another type',
    patch(`${flunders}/typed`, merge, { spec: { reference: 5 } }),
    422,
    'json: cannot unmarshal number into Go struct field FlunderSpec.spec.reference of type string',
  ],
  [
    'a JSON patch of another kind',
    patch(`${flunders}/typed`, jsonPatch, [{ op: 'replace', path: '/kind', value: 'Fischer' }]),
    422,
    'converting (v1alpha1.Fischer) to (wardle.Flunder): unknown conversion',
  ],
  [
    'a patch in a form that there is not',
    patch(`${flunders}/typed`, { 'content-type': 'application/yaml' }, {}),
    415,
    '415: Unsupported Media Type',
  ],
  [
    'an apply of unknown fields',
    patch(`${betas}/typed?fieldManager=m`, apply, {
      ...flunder('typed', { spec: { reference: 'a' } }),
      apiVersion: 'wardle.example.com/v1beta1',
    }),
    500,
    'failed to create typed patch object (/typed; wardle.example.com/v1beta1, Kind=Flunder): .spec.reference: field not declared in schema',
  ],
  [
    'a default, whose manager is that of the other fields',
    send('POST', `${dryRun}&fieldManager=me`, flunder('x', { spec: { reference: 'a' }, status: {} })),
    201,
    '"fieldsV1":{"f:spec":{"f:reference":{},"f:referenceType":{}}}',
  ],
  [
    'an object as protobuf',
    get(`${flunders}/typed`, { accept: `${protobuf},application/json` }),
    406,
    'object *v1alpha1.Flunder does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
  ],
  [
    'an object in a form that there is not',
    get(`${flunders}/typed`, { accept: 'text/html' }),
    406,
    /^$|406: Not Acceptable/,
  ],
  [
    'an object as a list of metadata',
    get(`${flunders}/typed`, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
    406,
    'you requested PartialObjectMetadataList, but the requested object is not a list (*wardle.Flunder)',
  ],
  ['all of them in every namespace', send('DELETE', `${group}/v1alpha1/flunders`), 405],
  [
    'a subresource that there is not, of nothing',
    get(`${flunders}/none/status`),
    404,
    'the server could not find the requested resource',
  ],
  [
    'a field that objects are not selected by',
    get(`${flunders}?fieldSelector=spec.reference%3Da`),
    400,
    '"spec.reference" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  ['the end of it', send('DELETE', `${flunders}/typed`), 200],
];

/** The exact encoding of Go types, for every server that serves flunders. */
export const wardleTypes = (registered: () => Registration): void => playCases('types', cases, registered);
