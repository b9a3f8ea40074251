import { isObject, type JsonObject, type JsonValue, type KubeObject, stringifyJson } from '@annex/machinery';
import { compileGoDecoder, type GoDecoder, type SchemaNode } from '@annex/schema';
import { printedType, readReviewResponse } from '@annex/admission';
import { crdGroup } from '../crd/crd.ts';

/** A version of ConversionReview that webhooks support. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Returns the ConversionReview that requests an object in another version. */
export function writeReview(
  object: KubeObject,
  desiredAPIVersion: string,
  version: ReviewVersion,
  uid: string,
): string {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return stringifyJson({
    kind: 'ConversionReview',
    apiVersion: `${crdGroup}/${version}`,
    request: { uid, desiredAPIVersion, objects: [{ ...object, metadata }] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
}

/** Returns the converted objects of a response. Throws kube's error if it is not a review, or reports a failure. */
export async function readReview(text: string, version: ReviewVersion, uid: string): Promise<JsonValue[]> {
  const type = { group: crdGroup, version, kind: 'ConversionReview', decode: decoders[version] };
  const response = await readReviewResponse(text, type);
  const wanted = `${crdGroup}/v1, Kind=ConversionReview`;
  if (version === 'v1' && printedType(response) !== wanted) {
    throw new Error(`expected webhook response of ${wanted}, got ${printedType(response)}`);
  }
  return convertedObjects(response, version, uid);
}

function convertedObjects({ response }: JsonObject, version: ReviewVersion, uid: string): JsonValue[] {
  if (!isObject(response)) throw new Error('no response provided');
  // v1beta1 did not require webhooks to return the uid.
  if (version === 'v1' && response.uid !== uid) {
    throw new Error(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    );
  }
  const result = isObject(response.result) ? response.result : {};
  if (result.status !== 'Success') {
    throw new Error(
      result.message
        ? String(result.message)
        : `response.result.status was '${String(result.status ?? '')}', not 'Success'`,
    );
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

const text: SchemaNode = { type: 'string' };
const reviewNode = (version: ReviewVersion): SchemaNode => ({
  goType: `${version}.ConversionReview`,
  properties: new Map<string, SchemaNode>([
    [
      'response',
      {
        goType: `${version}.ConversionResponse`,
        properties: new Map<string, SchemaNode>([
          ['uid', { type: 'string', goType: 'types.UID' }],
          ['convertedObjects', { goType: '[]runtime.RawExtension', items: {} }],
          [
            'result',
            {
              goType: 'v1.Status',
              properties: new Map<string, SchemaNode>([
                ['status', text],
                ['message', text],
                ['reason', { type: 'string', goType: 'v1.StatusReason' }],
                ['code', { type: 'integer', format: 'int32' }],
              ]),
            },
          ],
        ]),
      },
    ],
  ]),
});

const decoders: Readonly<Record<ReviewVersion, GoDecoder>> = {
  v1: compileGoDecoder(reviewNode('v1')),
  v1beta1: compileGoDecoder(reviewNode('v1beta1')),
};
