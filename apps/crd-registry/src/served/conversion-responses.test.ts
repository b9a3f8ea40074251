import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { webhookConverter } from './webhook-converter.ts';

const v1 = 'example.com/v1';
const metadata = { name: 'a', namespace: 'default', uid: 'u', labels: { l: 'm' } };
const original = (): KubeObject => ({
  apiVersion: 'example.com/v1beta1',
  kind: 'CronTab',
  metadata: { ...metadata },
});
const converted = { apiVersion: v1, kind: 'CronTab', metadata };

interface Response {
  apiVersion?: unknown;
  kind?: unknown;
  response?: unknown;
}

/** Returns the error that a client gets for a changed reply. */
async function message(change: (response: Response, uid: string) => unknown): Promise<string> {
  const post = async (body: string): Promise<string> => {
    const { apiVersion, kind, request } = JSON.parse(body) as Response & { request: { uid: string } };
    const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects: [converted] };
    const reply = change({ apiVersion, kind, response }, request.uid);
    return typeof reply === 'string' ? reply : JSON.stringify(reply);
  };
  return await Promise.resolve(webhookConverter(post, ['v1']).convert(original(), v1)).then(
    () => 'no error',
    (error: Error) => error.message.replace('conversion webhook for example.com/v1beta1, Kind=CronTab ', ''),
  );
}

const respond = (response: object) => (reply: Response, uid: string) => ({
  ...reply,
  response: { uid, result: { status: 'Success' }, convertedObjects: [converted], ...response },
});
const convertTo = (object: unknown) => respond({ convertedObjects: [object] });
const withMeta = (change: object) => convertTo({ ...converted, metadata: { ...metadata, ...change } });
const expected = 'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got';
const go = (type: string) =>
  `failed: couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;

describe('responses that are not a review', () => {
  it.each<[string, (response: Response, uid: string) => unknown, string]>([
    ['no kind', ({ kind: _, ...response }) => response, `${expected} apiextensions.k8s.io/v1, Kind=`],
    ['no version', ({ apiVersion: _, ...response }) => response, `${expected} /, Kind=ConversionReview`],
    [
      'CNV-011 another version of the review',
      (response) => ({ ...response, apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
    ],
    [
      'an unknown version',
      (response) => ({ ...response, apiVersion: 'apiextensions.k8s.io/v9' }),
      'failed: no kind "ConversionReview" is registered for version "apiextensions.k8s.io/v9" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'a Status',
      () => ({ apiVersion: 'v1', kind: 'Status', status: 'Failure', message: 'no' }),
      'failed: converting (v1.Status) to (v1.ConversionReview): unknown conversion',
    ],
    [
      'a kind that is not a string',
      (response) => ({ ...response, kind: 5 }),
      "failed: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      'too many slashes',
      (response) => ({ ...response, apiVersion: 'a/b/c' }),
      'failed: unexpected GroupVersion string: a/b/c',
    ],
    ['plain text', () => 'this is not json', go('string')],
    ['a number', () => '5', go('number')],
    ['a list', () => '[1]', go('array')],
    ['only blanks', () => ' ', `${expected} /, Kind=`],
    [
      'JSON that ends early',
      () => '{"kind":',
      "failed: couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [
      'a uid of another type',
      respond({ uid: 5 }),
      'failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID',
    ],
    [
      'objects of another type',
      respond({ convertedObjects: 'x' }),
      'failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension',
    ],
    [
      'CNV-040 a failure without a message',
      respond({ result: { status: 'Failed' } }),
      "failed: response.result.status was 'Failed', not 'Success'",
    ],
    [
      'a failure, in YAML',
      (_, uid) =>
        `kind: ConversionReview\napiVersion: apiextensions.k8s.io/v1\nresponse: { uid: ${uid}, result: { message: never } }`,
      'failed: never',
    ],
  ])('%s', async (_name, change, text) => {
    expect(await message(change)).toBe(text);
  });
});

describe('objects that differ from the request', () => {
  const invalid = 'returned invalid object: must have the same';
  const invalidMeta = 'returned invalid metadata:';
  it.each<[string, (response: Response, uid: string) => unknown, string]>([
    ['CNV-036 none', respond({ convertedObjects: null }), 'returned 0 objects, expected 1'],
    ['CNV-036 two', respond({ convertedObjects: [1, 2] }), 'returned 2 objects, expected 1'],
    ['null', convertTo(null), 'unexpected end of JSON input'],
    ['a text', convertTo('x'), 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['without a kind', convertTo({ apiVersion: v1 }), `Object 'Kind' is missing in '{"apiVersion":"${v1}"}'`],
    [
      'an object with items',
      convertTo({ ...converted, items: [] }),
      '*unstructured.Unstructured is not a list: no Items field in this object',
    ],
    ['without metadata', convertTo({ ...converted, metadata: undefined }), `${invalid} name: a != `],
    ['with a number as uid', withMeta({ uid: 5 }), `${invalid} UID: u != `],
    [
      'with labels that are a list',
      withMeta({ labels: [1] }),
      `${invalidMeta} invalid metadata.labels of type []interface {} in converted object`,
    ],
    [
      'with an annotation that is a number',
      withMeta({ annotations: { a: 1.5 } }),
      `${invalidMeta} metadata.annotations[a] must be a string, but is float64 in converted object`,
    ],
    [
      'with annotations that are too large',
      withMeta({ annotations: { a: 'x'.repeat(300_000) } }),
      `${invalidMeta} metadata.annotation: Too long: may not be more than 262144 bytes`,
    ],
  ])('%s', async (_name, change, text) => {
    expect(await message(change)).toBe(text);
  });

  it('CNV-008 empty labels are absent, and other metadata of a webhook is ignored', async () => {
    const change = withMeta({ labels: {}, generation: 7, finalizers: ['x/y'], foo: 'bar' });
    const post = async (body: string): Promise<string> => {
      const { apiVersion, kind, request } = JSON.parse(body) as Response & { request: { uid: string } };
      return JSON.stringify(change({ apiVersion, kind }, request.uid));
    };
    const { labels: _, ...rest } = metadata;
    expect(await webhookConverter(post, ['v1']).convert(original(), v1)).toEqual({
      ...converted,
      metadata: rest,
    });
  });
});
