import {
  exceedsDepth,
  goJsonSyntaxError,
  isObject,
  type JsonObject,
  jsonTypeName,
  parseGroupVersion,
  parseJson,
} from '@annex/machinery';
import type { GoDecoder } from '@annex/schema';
import { notRegistered, readYaml, untypedText } from '@annex/server';

/** The review that a webhook was asked with, and is to answer with. */
export interface ReviewType {
  group: string;
  version: string;
  kind: string;
  /** Tells what in it has another type than the review has. */
  decode: GoDecoder;
}

/**
 * Reads what a webhook answered as a review of the type that it was asked with; a type that it does not name is that one. Throws in
 * the words of kube's decoder.
 */
export async function readReviewResponse(text: string, type: ReviewType): Promise<JsonObject> {
  const response = await parseResponse(text);
  checkRegistered(namedType(response), type);
  const problem = type.decode(response);
  if (problem !== undefined) throw new Error(problem);
  return response;
}

/** The type that an answer names, as Go prints it. */
export function printedType({ apiVersion, kind }: JsonObject): string {
  return `${apiVersion ? String(apiVersion) : '/'}, Kind=${String(kind ?? '')}`;
}

/** Characters of a review that is not JSON: YAML takes a hundred times as long, and no webhook library writes it. */
export const maxYamlReviewLength = 1024 * 1024;

// Go's recognizer takes for YAML what does not begin as an object of JSON. A byte order mark is no space to it.
async function parseResponse(text: string): Promise<JsonObject> {
  const isJson = /^[^\S\ufeff]*\{/.test(text);
  if (isJson && exceedsDepth(text)) throw untyped('exceeded max depth');
  if (!isJson && text.length > maxYamlReviewLength) {
    throw new Error(`a review in YAML has more than ${maxYamlReviewLength} characters`);
  }
  const error = isJson ? goJsonSyntaxError(text) : undefined;
  if (error !== undefined) throw untyped(error);
  const response = isJson ? parseJson(text) : (await readYaml(text.replace(/^\ufeff/, ''))).value;
  if (response === null) return {};
  if (isObject(response)) return response;
  throw new Error(untypedText(response));
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

/** What is left out is taken to be what was asked in; what is said must be known, and the same. */
function checkRegistered(
  { apiVersion, kind }: NamedType,
  { group, version, kind: wanted }: ReviewType,
): void {
  const requested = `${group}/${version}`;
  const named = parseGroupVersion(apiVersion || requested);
  const provided = named.version === '' && named.group === group ? requested : apiVersion || requested;
  const type = kind || wanted;
  if (provided === requested && type === wanted) return;
  const known = new Map([
    ['v1 Status', 'v1.Status'],
    [`${group}/v1 ${wanted}`, `v1.${wanted}`],
    [`${group}/v1beta1 ${wanted}`, `v1beta1.${wanted}`],
  ]).get(`${provided} ${type}`);
  throw new Error(
    known === undefined
      ? notRegistered(type, provided)
      : `converting (${known}) to (${version}.${wanted}): unknown conversion`,
  );
}
