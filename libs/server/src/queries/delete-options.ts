import { booleanParameter, componentSchema, type Preconditions, type RequestContext } from '@annex/kinds';
import {
  badRequest,
  fieldErrors,
  type JsonObject,
  parseGoInteger,
  type Query,
  setOwn,
} from '@annex/machinery';
import { mediaType } from '../decoding/media-type.ts';
import { readBody } from '@annex/http';
import { DecodingError, parseBody } from '../decoding/decode-object.ts';
import { notRegistered } from '../decoding/object-type.ts';
import { dryRunErrors, invalidOptions } from './write-query.ts';

const schema = componentSchema('', 'v1', 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');

/** The options of a DELETE, from its body and its query. */
export interface DeleteOptions {
  dryRun: boolean;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  orphanDependents?: boolean;
  preconditions?: Preconditions;
}

/**
 * The kinds of kube-apiserver's options scheme in every group and version, and those of its `meta.k8s.io`
 * group.
 */
const commonKinds = [
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'CreateOptions',
  'UpdateOptions',
];
const metaKinds = [
  ...['ListOptions', 'GetOptions', 'PatchOptions', 'TableOptions', 'WatchEvent', 'Table'],
  ...['PartialObjectMetadata', 'PartialObjectMetadataList'],
];

/** kube-apiserver's error message for a body of another kind. */
const otherOptions = (kind: string, apiVersion: string): string =>
  commonKinds.includes(kind) || (apiVersion === 'meta.k8s.io/v1' && metaKinds.includes(kind))
    ? `converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`
    : notRegistered(kind, apiVersion);

/**
 * Reads DeleteOptions from the body, which overrides the query, or from the query if there is no body. Throws
 * 400, 415 and 422 with kube-apiserver's messages.
 */
export async function readDeleteOptions(request: RequestContext): Promise<DeleteOptions> {
  const body = await readBody(request);
  if (body.length === 0) return checkedDeleteOptions(fromQuery(request.query));
  const { value } = await parseBody(body, mediaType(request)).catch((error: unknown) => {
    throw error instanceof DecodingError ? badRequest(error.message) : error;
  });
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = value;
  if (kind !== 'DeleteOptions' && kind !== null && kind !== '') {
    throw badRequest(otherOptions(String(kind), String(apiVersion)));
  }
  const decodingError = schema().decodeError?.(value);
  if (decodingError !== undefined) throw badRequest(decodingError);
  const { kind: _kind, apiVersion: _version, ...options } = value;
  const internal = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...options };
  request.audit?.sent({ metadata: {} }, () => internal);
  return checkedDeleteOptions(value);
}

/** Validates decoded DeleteOptions. Throws 422. */
export function checkedDeleteOptions(raw: JsonObject): DeleteOptions {
  const dryRun = Array.isArray(raw.dryRun) ? raw.dryRun.map(String) : [];
  const policy = raw.propagationPolicy;
  const errors = dryRunErrors(dryRun);
  if (policy !== undefined && policy !== null) {
    if (raw.orphanDependents !== undefined && raw.orphanDependents !== null) {
      errors.push(
        fieldErrors.invalid(
          'propagationPolicy',
          policy,
          'orphanDependents and deletionPropagation cannot be both set',
        ),
      );
    }
    if (policy !== 'Foreground' && policy !== 'Background' && policy !== 'Orphan') {
      errors.push(
        fieldErrors.notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
      );
    }
  }
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return { ...(raw as unknown as DeleteOptions), dryRun: dryRun.length > 0 };
}

function fromQuery(query: Query): JsonObject {
  const raw: JsonObject = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== undefined) {
    try {
      raw.gracePeriodSeconds = Number(parseGoInteger(grace, 'ParseInt'));
    } catch (error) {
      throw badRequest((error as Error).message);
    }
  }
  const policy = query.get('propagationPolicy');
  if (policy !== undefined) raw.propagationPolicy = policy;
  const orphan = query.get('orphanDependents');
  if (orphan !== undefined) raw.orphanDependents = booleanParameter(orphan);
  if (query.has('dryRun')) raw.dryRun = query.getAll('dryRun');
  const preconditions: JsonObject = {};
  for (const field of ['uid', 'resourceVersion']) {
    const value = query.get(field);
    if (value) setOwn(preconditions, field, value);
  }
  if (Object.keys(preconditions).length > 0) raw.preconditions = preconditions;
  return raw;
}
