import { randomUUID } from 'node:crypto';
import {
  deepCopy,
  fieldErrorText,
  FieldPath,
  isObject,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
  parseJson,
  stringifyJson,
  validateAnnotations,
  validateLabels,
} from '@annex/machinery';
import { crdGroup } from '../definition/crd.ts';
import { type Converter, conversionError } from './converter.ts';

/** Sends a document to the webhook and gives the body of its answer. */
export type PostReview = (body: string) => Promise<string>;

/** Strategy Webhook: asks the webhook, and lets it change anything but the identity of an object. */
export function webhookConverter(post: PostReview, reviewVersions: readonly string[]): Converter {
  const reviewVersion = reviewVersions.find((version) => version === 'v1' || version === 'v1beta1');
  return {
    async convert(object, apiVersion) {
      if (reviewVersion === undefined) throw conversionError('no supported conversion review versions');
      const uid = randomUUID();
      const failed = (why: string) => conversionError(`conversion webhook for ${typeOf(object)} ${why}`);
      let answer: string;
      try {
        answer = await post(review(object, apiVersion, reviewVersion, uid));
      } catch (error) {
        throw failed(`failed: ${error instanceof Error ? error.message : String(error)}`);
      }
      const objects = convertedObjects(answer, reviewVersion, uid);
      if (typeof objects === 'string') throw failed(`failed: ${objects}`);
      if (objects.length !== 1) throw failed(`returned ${objects.length} objects, expected 1`);
      const converted = objects[0];
      const complaint = checkType(object, converted, apiVersion);
      if (complaint !== undefined) throw failed(`returned invalid object at index 0: ${complaint}`);
      const result = converted as unknown as KubeObject;
      const changed = checkIdentity(object, result);
      if (changed !== undefined) throw failed(`returned invalid object: ${changed}`);
      const badMeta = restoreMetadata(object, result);
      if (badMeta !== undefined) throw failed(`returned invalid metadata: ${badMeta}`);
      return result;
    },
  };
}

/** A type as Go prints it. */
const typeOf = (object: { apiVersion?: string; kind?: string }): string =>
  `${object.apiVersion}, Kind=${object.kind}`;

function review(object: KubeObject, desiredAPIVersion: string, version: string, uid: string): string {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return stringifyJson({
    kind: 'ConversionReview',
    apiVersion: `${crdGroup}/${version}`,
    request: { uid, desiredAPIVersion, objects: [{ ...object, metadata }] },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
}

/** The objects of an answer, or why it is none. */
function convertedObjects(text: string, version: string, uid: string): unknown[] | string {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch (error) {
    return `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isObject(answer)) return "couldn't get version/kind; json parse error: the answer is not an object";
  const { response } = answer;
  if (version === 'v1') {
    const expected = `${crdGroup}/v1, Kind=ConversionReview`;
    const given = typeOf(answer as { apiVersion?: string; kind?: string });
    if (given !== expected) return `expected webhook response of ${expected}, got ${given}`;
  }
  if (!isObject(response)) return 'no response provided';
  if (version === 'v1' && response.uid !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  }
  const result = isObject(response.result) ? response.result : {};
  if (result.status !== 'Success') {
    return result.message
      ? String(result.message)
      : `response.result.status was '${String(result.status ?? '')}', not 'Success'`;
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

function checkType(original: KubeObject, converted: unknown, apiVersion: string): string | undefined {
  const given = isObject(converted) ? converted : {};
  if (given.apiVersion !== apiVersion) {
    return `invalid groupVersion (expected ${apiVersion}, received ${goGroupVersion(String(given.apiVersion ?? ''))})`;
  }
  if (given.kind !== original.kind) {
    return `invalid kind (expected ${original.kind}, received ${String(given.kind ?? '')})`;
  }
  return undefined;
}

const goGroupVersion = (apiVersion: string): string => {
  const { group, version } = parseGroupVersion(apiVersion);
  return group === '' ? version : `${group}/${version}`;
};

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function checkIdentity(original: KubeObject, converted: KubeObject): string | undefined {
  const given = isObject(converted.metadata) ? (converted.metadata as KubeObject['metadata']) : {};
  for (const [field, word] of identity) {
    const [before = '', after = ''] = [original.metadata[field], given[field]];
    if (before !== after) return `must have the same ${word}: ${before} != ${after}`;
  }
  return undefined;
}

const changeable = ['labels', 'annotations'] as const;

/** Takes labels and annotations from the webhook and everything else from the original. */
function restoreMetadata(original: KubeObject, converted: KubeObject): string | undefined {
  const given = converted.metadata as unknown;
  if (given === undefined) return 'missing metadata in converted object';
  if (!isObject(given)) return 'invalid metadata in converted object';
  const metadata = deepCopy(original.metadata) as unknown as JsonObject;
  for (const field of changeable) {
    const value = given[field];
    delete metadata[field];
    if (value === undefined || value === null) continue;
    if (!isObject(value)) return `invalid metadata.${field} in converted object`;
    const wrong = Object.entries(value).find(([, entry]) => typeof entry !== 'string');
    if (wrong !== undefined) return `metadata.${field}[${wrong[0]}] must be a string in converted object`;
    const check = field === 'labels' ? validateLabels : validateAnnotations;
    const errors = check(value as Record<string, string>, FieldPath.of('metadata', field));
    if (errors.length > 0) return errors.map(fieldErrorText).join(', ');
    metadata[field] = value;
  }
  converted.metadata = metadata as unknown as KubeObject['metadata'];
  return undefined;
}
