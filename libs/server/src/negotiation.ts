import { Buffer } from 'node:buffer';
import { encodeYaml, failure, notAcceptable, stringifyJson } from '@annex/machinery';

/** How an object is written. */
export type Encoding = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** What a client wants to see: in which encoding and turned into which kind. */
export interface Representation {
  encoding: Encoding;
  /** `object` as it is, or one of the meta kinds. */
  as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The version of that meta kind. */
  metaVersion: string;
}

interface Clause {
  type: string;
  params: Map<string, string>;
  q: number;
}

const encodings: readonly Encoding[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
const acceptedTypes = encodings.join(', ');
const plainJson: Representation = { encoding: 'application/json', as: 'object', metaVersion: 'v1' };
const metaVersions = new Set(['v1', 'v1beta1']);

/** The clauses of an Accept header in the order of preference; at most 32 are read. */
function clauses(accept: string): Clause[] {
  const parsed = accept
    .split(',', 32)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map(parseClause);
  return parsed
    .map((clause, i) => ({ clause, i }))
    .sort((a, b) => b.clause.q - a.clause.q || a.i - b.i)
    .map(({ clause }) => clause);
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const params = new Map<string, string>();
  for (const part of rest) {
    const eq = part.indexOf('=');
    if (eq > 0) params.set(part.slice(0, eq).toLowerCase(), part.slice(eq + 1).replace(/^"|"$/g, ''));
  }
  const q = Number(params.get('q') ?? 1);
  return { type: type.toLowerCase(), params, q: Number.isFinite(q) ? q : 1 };
}

/** The encodings that a media range covers, best first. */
function encodingsOf(type: string): readonly Encoding[] {
  if (type === '*/*' || type === 'application/*') return ['application/json'];
  return encodings.filter((encoding) => encoding === type);
}

const metaKinds = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/**
 * Chooses the representation of an answer. Throws 406 with the text that custom resources and built-in kinds have
 * each of their own. `protobuf` says whether the kind can be written so.
 */
export function negotiate(
  accept: string | undefined,
  about: { custom: boolean; protobuf: boolean },
): Representation {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') {
    return plainJson;
  }
  for (const clause of clauses(accept)) {
    const as = asKind(clause);
    if (as === undefined) continue;
    for (const encoding of encodingsOf(clause.type)) {
      if (encoding === 'application/vnd.kubernetes.protobuf' && (!about.protobuf || as !== 'object'))
        continue;
      const metaVersion = as === 'object' ? 'v1' : (clause.params.get('v') ?? 'v1');
      return { encoding, as, metaVersion };
    }
  }
  throw about.custom
    ? notAcceptable(`only the following media types are accepted: ${acceptedTypes}`)
    : failure('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${builtinTypes}`, {});
}

const builtinTypes = `${acceptedTypes}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`;

/** The meta kind that a clause asks for; `undefined` where it asks for one that does not exist. */
function asKind(clause: Clause): Representation['as'] | undefined {
  const as = clause.params.get('as');
  if (as === undefined) return 'object';
  if (
    !metaKinds.has(as) ||
    clause.params.get('g') !== 'meta.k8s.io' ||
    !metaVersions.has(clause.params.get('v') ?? '')
  )
    return undefined;
  return as as Representation['as'];
}

/** The encoding of an error: the first one the client accepts, JSON where there is none. */
export function acceptedErrorType(accept: string | undefined): Encoding {
  for (const clause of clauses(accept ?? '')) {
    const encoding = encodingsOf(clause.type)[0];
    if (encoding !== undefined) return encoding;
  }
  return 'application/json';
}

/** Encodes one object. YAML and protobuf are loaded when they are first asked for. */
export async function encodeAs(
  encoding: Encoding,
  value: Record<string, unknown>,
): Promise<{ contentType: string; body: Buffer }> {
  if (encoding === 'application/yaml') {
    return { contentType: encoding, body: Buffer.from(await encodeYaml(value)) };
  }
  if (encoding === 'application/vnd.kubernetes.protobuf') {
    const { encodeProtobuf } = await import('./protobuf/protobuf.ts');
    const body = encodeProtobuf(value);
    if (body !== undefined) return { contentType: encoding, body };
  }
  return { contentType: 'application/json', body: Buffer.from(stringifyJson(value)) };
}
