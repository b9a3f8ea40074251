import {
  badRequest,
  type FieldError,
  fieldErrors,
  FieldPath,
  invalid,
  type JsonObject,
  type StatusError,
  validateFieldManager,
} from '@annex/machinery';

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

/** kube's refusal of an options object. */
export const invalidOptions = (kind: OptionsKind, errors: readonly FieldError[]): StatusError =>
  invalid({ group: 'meta.k8s.io', kind }, '', errors);

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What the query of a write says. */
export interface WriteQuery {
  dryRun: boolean;
  fieldManager: string;
  fieldValidation: FieldValidation;
  /** Server-side apply: take fields that others own. */
  force: boolean;
}

/** Reads and checks the options of a write. Throws 422 with kube's texts. */
export function writeQuery(
  query: URLSearchParams,
  kind: OptionsKind,
  userAgent: string,
  apply = false,
): WriteQuery {
  const errors = dryRunErrors(query.getAll('dryRun'));
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = query.get('force');
  if (kind === 'PatchOptions' && !apply && force !== null) {
    errors.push(fieldErrors.forbidden('force', 'may not be specified for non-apply patch'));
  }
  if (apply && !query.get('fieldManager')) {
    errors.push(fieldErrors.required('fieldManager', 'is required for apply patch'));
  }
  errors.push(...validateFieldManager(query.get('fieldManager') ?? '', FieldPath.of('fieldManager')));
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push(
      fieldErrors.notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']),
    );
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: query.has('dryRun'),
    fieldManager: query.get('fieldManager') || managerFromAgent(userAgent),
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force: force === 'true' || force === '1' || force === '',
  };
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All')
    ? []
    : [fieldErrors.notSupported('dryRun', [...dryRun], ['All'])];
}

/** Without a fieldManager parameter the manager is the first part of the User-Agent. */
function managerFromAgent(userAgent: string): string {
  return (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown';
}

/** How an object is to be deleted: the body and the query of a DELETE together. */
export interface DeleteOptions {
  dryRun: boolean;
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** Reads DeleteOptions. A body hides the query, as in kube. Throws 400 and 422 with kube's texts. */
export function deleteOptions(query: URLSearchParams, body: JsonObject | undefined): DeleteOptions {
  const raw = body ?? fromQuery(query);
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
    } else if (policy !== 'Foreground' && policy !== 'Background' && policy !== 'Orphan') {
      errors.push(
        fieldErrors.notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
      );
    }
  }
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return { ...(raw as unknown as DeleteOptions), dryRun: dryRun.length > 0 };
}

function fromQuery(query: URLSearchParams): JsonObject {
  const raw: JsonObject = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null) {
    if (!/^-?\d+$/.test(grace)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    }
    raw.gracePeriodSeconds = Number(grace);
  }
  const policy = query.get('propagationPolicy');
  if (policy !== null) raw.propagationPolicy = policy;
  const orphan = query.get('orphanDependents');
  if (orphan !== null) raw.orphanDependents = orphan === 'true';
  if (query.has('dryRun')) raw.dryRun = query.getAll('dryRun');
  return raw;
}
