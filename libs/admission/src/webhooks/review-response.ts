import {
  finishInSlices,
  goJsonSyntaxErrorInPasses,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonTypeName,
  parseGroupVersion,
  parseJson,
} from '@annex/machinery';
import type { GoDecoder } from '@annex/schema';
import { notRegistered, parseInSlices, pause, readYaml, slicedBodyBytes, untypedText } from '@annex/server';
import { refusedText } from './response-limits.ts';

/** The type of a review and of the expected response. */
export interface ReviewType {
  group: string;
  version: string;
  kind: string;
  /** Reports fields with a type other than that of the review. */
  decode: GoDecoder;
}

/**
 * Decodes the response of a webhook as a review of the expected type; an absent type is the expected one.
 * Throws the message of kube-apiserver's decoder.
 */
export async function readReviewResponse(text: string, type: ReviewType): Promise<JsonObject> {
  const response = await parseResponse(text);
  checkRegistered(namedType(response), type);
  const problem = type.decode(response);
  if (problem !== undefined) throw new Error(problem);
  return response;
}

/** Returns the type of a response, as Go prints it. */
export function printedType({ apiVersion, kind }: JsonObject): string {
  return `${apiVersion ? String(apiVersion) : '/'}, Kind=${String(kind ?? '')}`;
}

/**
 * The maximum characters of a review that is not JSON: YAML takes a hundred times as long, and no webhook
 * library sends it.
 */
export const maxYamlReviewLength = 1024 * 1024;

// Go's recognizer reads everything as YAML that does not begin as a JSON object. It does not skip a byte
// order mark.
async function parseResponse(text: string): Promise<JsonObject> {
  const isJson = /^[^\S\ufeff]*\{/.test(text);
  const refused = isJson ? await finishInSlices(refusedText(text), pause) : undefined;
  if (refused !== undefined) throw untyped(refused);
  if (!isJson && text.length > maxYamlReviewLength) {
    throw new Error(`a review in YAML has more than ${maxYamlReviewLength} characters`);
  }
  const response = isJson ? await parsed(text) : (await readYaml(text.replace(/^\ufeff/, ''))).value;
  if (response === null) return {};
  if (isObject(response)) return response;
  throw new Error(untypedText(response));
}

async function parsed(text: string): Promise<JsonValue> {
  try {
    return text.length < slicedBodyBytes ? parseJson(text) : await parseInSlices(text);
  } catch (error) {
    const why = await finishInSlices(goJsonSyntaxErrorInPasses(text), pause);
    throw why === undefined ? error : untyped(why);
  }
}

const untyped = (why: string) => new Error(`couldn't get version/kind; json parse error: ${why}`);

interface NamedType {
  apiVersion: string;
  kind: string;
}

function namedType(response: JsonObject): NamedType {
  const type: NamedType = { apiVersion: '', kind: '' };
  for (const field of ['apiVersion', 'kind'] as const) {
    const value = response[field] ?? '';
    if (typeof value !== 'string') {
      throw untyped(
        `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`,
      );
    }
    type[field] = value;
  }
  if (type.apiVersion.split('/').length > 2) {
    throw new Error(`unexpected GroupVersion string: ${type.apiVersion}`);
  }
  return type;
}

/** An absent type is the requested one; a present type must be registered and equal. */
function checkRegistered(
  { apiVersion, kind }: NamedType,
  { group, version, kind: expectedKind }: ReviewType,
): void {
  const requested = `${group}/${version}`;
  const named = parseGroupVersion(apiVersion || requested);
  const provided = named.version === '' && named.group === group ? requested : apiVersion || requested;
  const type = kind || expectedKind;
  if (provided === requested && type === expectedKind) return;
  const known = new Map([
    ['v1 Status', 'v1.Status'],
    [`${group}/v1 ${expectedKind}`, `v1.${expectedKind}`],
    [`${group}/v1beta1 ${expectedKind}`, `v1beta1.${expectedKind}`],
  ]).get(`${provided} ${type}`);
  throw new Error(
    known === undefined
      ? notRegistered(type, provided)
      : `converting (${known}) to (${version}.${expectedKind}): unknown conversion`,
  );
}
