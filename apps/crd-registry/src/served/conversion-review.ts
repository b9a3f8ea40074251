import {
  decodeYaml,
  goJsonSyntaxError,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseGroupVersion,
  parseJson,
  stringifyJson,
} from '@annex/machinery';
import { compileGoDecoder, type GoDecoder, type SchemaNode } from '@annex/schema';
import { crdGroup } from '../definition/crd.ts';

/** A version of ConversionReview that webhooks are asked in. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** The document that asks a webhook for another version of an object. */
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

/** The objects that a webhook gave. Throws in kube's words where the answer is none, or tells of a failure. */
export async function readReview(text: string, version: ReviewVersion, uid: string): Promise<JsonValue[]> {
  const answer = await parseAnswer(text);
  const given = typeOfAnswer(answer);
  checkRegistered(given, version);
  const problem = decoders[version](answer);
  if (problem !== undefined) throw new Error(problem);
  if (version === 'v1' && (answer.apiVersion !== `${crdGroup}/v1` || answer.kind !== 'ConversionReview')) {
    const type = answer.apiVersion ? `${String(answer.apiVersion)}, Kind=` : '/, Kind=';
    throw new Error(
      `expected webhook response of ${crdGroup}/v1, Kind=ConversionReview, got ${type}${String(answer.kind ?? '')}`,
    );
  }
  return convertedObjects(answer, version, uid);
}

function convertedObjects({ response }: JsonObject, version: ReviewVersion, uid: string): JsonValue[] {
  if (!isObject(response)) throw new Error('no response provided');
  // Webhooks of v1beta1 were never asked to repeat it.
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

// Go's recognizer takes for YAML what does not begin as an object of JSON.
async function parseAnswer(text: string): Promise<JsonObject> {
  const failed = (why: string) => new Error(`couldn't get version/kind; json parse error: ${why}`);
  const isJson = /^\s*\{/.test(text);
  const mistake = isJson ? goJsonSyntaxError(text) : undefined;
  if (mistake !== undefined) throw failed(mistake);
  const answer = isJson ? parseJson(text) : (await decodeYaml(text)).value;
  if (answer === null) return {};
  if (isObject(answer)) return answer;
  throw failed(`json: cannot unmarshal ${jsonType(answer)} into Go value of type ${typeMeta}`);
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

const jsonType = (value: JsonValue): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

interface AnswerType {
  apiVersion: string;
  kind: string;
}

function typeOfAnswer(answer: JsonObject): AnswerType {
  const type: AnswerType = { apiVersion: '', kind: '' };
  for (const field of ['apiVersion', 'kind'] as const) {
    const value = answer[field] ?? '';
    if (typeof value !== 'string') {
      throw new Error(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go struct field .${field} of type string`,
      );
    }
    type[field] = value;
  }
  if (type.apiVersion.split('/').length > 2) {
    throw new Error(`unexpected GroupVersion string: ${type.apiVersion}`);
  }
  return type;
}

const registered = new Map([
  ['v1 Status', 'v1.Status'],
  [`${crdGroup}/v1 ConversionReview`, 'v1.ConversionReview'],
  [`${crdGroup}/v1beta1 ConversionReview`, 'v1beta1.ConversionReview'],
]);

/** What is left out is taken to be what was asked in; what is said must be known, and the same. */
function checkRegistered({ apiVersion, kind }: AnswerType, version: ReviewVersion): void {
  const asked = `${crdGroup}/${version}`;
  const { group, version: name } = parseGroupVersion(apiVersion || asked);
  const given = name === '' && group === crdGroup ? asked : apiVersion || asked;
  const type = kind || 'ConversionReview';
  if (given === asked && type === 'ConversionReview') return;
  const known = registered.get(`${given} ${type}`);
  throw new Error(
    known === undefined
      ? `no kind ${JSON.stringify(type)} is registered for version ${JSON.stringify(given)} in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${known}) to (${version}.ConversionReview): unknown conversion`,
  );
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
