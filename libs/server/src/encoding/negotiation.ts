import { type ResponseForms, loadProtobuf } from '@annex/kinds';
import type { Buffer } from 'node:buffer';
import {
  encodeJsonInPasses,
  encodeYamlInPasses,
  failure,
  finishInSlices,
  notAcceptable,
  parseGroupVersion,
  stringifyJson,
} from '@annex/machinery';
import { pause } from '../large-objects.ts';
import { acceptClauses, covers, isRouted } from './accept.ts';

/** The encoding of an object. */
export type Encoding = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** The encoding and the kind that a client requests. */
export interface Representation {
  encoding: Encoding;
  /** `object` for the stored kind, or one of the meta kinds. */
  as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of that meta kind. */
  metaVersion: string;
}

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const encodings: readonly Encoding[] = [json, yaml, protobuf];
const streamTypes = [`${json};stream=watch`, `${protobuf};stream=watch`];
const plainJson: Representation = { encoding: json, as: 'object', metaVersion: 'v1' };
const metaVersions = new Set(['v1', 'v1beta1']);
const metaKinds: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);

/**
 * Selects the representation of a response. Throws 406 with the message of the component of kube-apiserver
 * that refuses it.
 */
export function negotiate(accept: string | undefined, forms: ResponseForms): Representation {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === json) return plainJson;
  requireRouted(accept, forms);
  const chosen = choose(accept, forms);
  if (chosen === undefined) throw onlyAccepted(encodings);
  return chosen;
}

/**
 * Throws the 406 of a route that has none of the media types of the header. Kinds without such a route skip
 * this check.
 */
export function requireRouted(accept: string | undefined, forms: ResponseForms): void {
  if (forms.routed) requireRoute(accept, routeTypes(forms));
}

const routeTypes = ({ collection, text }: ResponseForms): string[] => [
  ...(text ? ['text/plain'] : []),
  ...encodings,
  ...(collection ? streamTypes : []),
];

/** Selects the representation of the objects of a watch. Throws 406, but not for YAML: see {@link requireStream}. */
export const negotiateStream = (accept: string | undefined, forms: ResponseForms): Representation =>
  negotiate(accept, { ...forms, collection: true });

/** Throws 406 for a representation that no watch has. kube-apiserver does so after all other checks of a watch. */
export function requireStream({ encoding }: Representation): void {
  if (encoding === yaml) throw onlyAccepted(streamTypes);
}

const onlyAccepted = (types: readonly string[]) =>
  notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);

/** Throws kube-apiserver's 406 if no route has a media type of the header. */
export function requireRoute(accept: string | undefined, types: readonly string[]): void {
  if (isRouted(accept, types)) return;
  throw failure('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {});
}

function choose(accept: string | undefined, forms: ResponseForms): Representation | undefined {
  for (const { type, params } of acceptClauses(accept)) {
    const encoding = encodings.find((own) => covers(type, own) && allows(own, params, forms));
    const metaVersion = params.get('v') ?? 'v1';
    if (encoding !== undefined) return { encoding, as: asKind(params) ?? 'object', metaVersion };
  }
  return undefined;
}

/** Returns whether an endpoint supports an encoding with these parameters. */
function allows(encoding: Encoding, params: ReadonlyMap<string, string>, forms: ResponseForms): boolean {
  const stream = params.get('stream') ?? 'watch';
  if (stream !== 'watch' || (params.has('stream') && encoding === yaml)) return false;
  if ((params.get('sv') ?? 'v1') !== 'v1') return false;
  if (!['as', 'g', 'v'].some((name) => params.has(name))) return encoding !== protobuf || forms.protobuf;
  const as = asKind(params);
  if (as === 'Table' && (encoding === protobuf || forms.untabled)) return false;
  return as !== undefined && !forms.plain;
}

/**
 * Returns the meta kind that a clause requests; `undefined` if it requests none or one that does not exist.
 */
function asKind(params: ReadonlyMap<string, string>): Exclude<Representation['as'], 'object'> | undefined {
  const as = params.get('as') ?? '';
  const exists =
    metaKinds.has(as) && params.get('g') === 'meta.k8s.io' && metaVersions.has(params.get('v') ?? '');
  return exists ? (as as Exclude<Representation['as'], 'object'>) : undefined;
}

/** Returns the encoding of an error; `undefined` if the client accepts none. */
export const errorEncoding = (accept: string | undefined): Encoding | undefined =>
  choose(accept, { routed: false, protobuf: true, plain: true })?.encoding;

/** Returns the error message for an object whose Go type has no generated protobuf messages. */
export function notMarshalable({ apiVersion = '', kind = '' }: Readonly<Record<string, unknown>>): string {
  const { version } = parseGroupVersion(String(apiVersion));
  return `object *${version}.${String(kind)} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`;
}

/** The 406 for a protobuf response with such an object. */
export const withoutMessage = (value: Readonly<Record<string, unknown>>): Error =>
  notAcceptable(notMarshalable(value));

/** Encodes one object. Loads protobuf at the first request for it. */
export async function encodeAs(
  encoding: Encoding,
  value: Record<string, unknown>,
): Promise<{ contentType: string; body: Buffer }> {
  if (encoding === yaml) {
    return { contentType: encoding, body: await finishInSlices(encodeYamlInPasses(value), pause) };
  }
  if (encoding === protobuf) {
    const { encodeProtobufInPasses } = await loadProtobuf();
    const body = await finishInSlices(encodeProtobufInPasses(value), pause);
    if (body === undefined) throw withoutMessage(value);
    return { contentType: encoding, body };
  }
  return { contentType: json, body: await finishInSlices(encodeJsonInPasses(value), pause) };
}

/** Encodes one object as Go's encoder does, which ends unindented JSON with a line break. */
export const encodeJson = (value: Record<string, unknown>): string => `${stringifyJson(value)}\n`;
