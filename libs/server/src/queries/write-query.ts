import {
  type FieldError,
  type Query,
  fieldErrors,
  FieldPath,
  invalid,
  type StatusError,
  validateFieldManager,
} from '@annex/machinery';
import { booleanParameter } from '@annex/kinds';

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

/** kube-apiserver's 422 for an options object. */
export const invalidOptions = (kind: OptionsKind, errors: readonly FieldError[]): StatusError =>
  invalid({ group: 'meta.k8s.io', kind }, '', errors);

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The options in the query of a write. */
export interface WriteQuery {
  dryRun: boolean;
  fieldManager: string;
  fieldValidation: FieldValidation;
  /** Server-side apply: take ownership of conflicting fields. */
  force: boolean;
}

/** Reads and validates the options of a write. Throws 422 with kube-apiserver's messages. */
export function writeQuery(query: Query, kind: OptionsKind, userAgent: string, apply = false): WriteQuery {
  if (query.size === 0 && !apply) return { ...defaults, fieldManager: managerFromAgent(userAgent) };
  const errors: FieldError[] = [];
  const fieldValidation = query.get('fieldValidation') ?? '';
  const force = query.get('force');
  // Invalid UTF-8 becomes U+FFFD, as in Go's JSON.
  const fieldManager = (query.get('fieldManager') ?? '').toWellFormed();
  if (kind === 'PatchOptions' && !apply && force !== undefined) {
    errors.push(fieldErrors.forbidden('force', 'may not be specified for non-apply patch'));
  }
  if (apply && fieldManager === '') {
    errors.push(fieldErrors.required('fieldManager', 'is required for apply patch'));
  }
  errors.push(...validateFieldManager(fieldManager, FieldPath.of('fieldManager')));
  errors.push(...dryRunErrors(query.getAll('dryRun')));
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(fieldValidation)) {
    errors.push(
      fieldErrors.notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']),
    );
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: query.has('dryRun'),
    fieldManager: fieldManager || managerFromAgent(userAgent),
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    force: booleanParameter(force),
  };
}

const defaults: WriteQuery = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: false };

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All')
    ? []
    : [fieldErrors.notSupported('dryRun', [...dryRun], ['All'])];
}

/** Without the parameter fieldManager, the manager is the first part of the User-Agent. */
function managerFromAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  return (slash < 0 ? userAgent : userAgent.slice(0, slash)).slice(0, 128) || 'unknown';
}
