import { badRequest, type FieldError, fieldErrors, parseGoInteger, type Query } from '@annex/machinery';
import { invalidOptions } from './write-query.ts';
import { booleanParameter } from '@annex/kinds';

/** The options in the query of a list or a watch. */
export interface ListOptions {
  labelSelector: string;
  fieldSelector: string;
  /** `''` if absent; `0` accepts any version. */
  resourceVersion: string;
  /** `''` if absent. */
  resourceVersionMatch: string;
  /** 0 for no limit. */
  limit: number;
  continue: string;
  timeoutSeconds: number | undefined;
  allowWatchBookmarks: boolean;
  sendInitialEvents: boolean | undefined;
}

/** Reads the options of a list or watch. Throws 400 with kube-apiserver's message for an invalid number. */
export function readListOptions(query: Query, watch: boolean): ListOptions {
  const initial = query.get('sendInitialEvents');
  const options = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    allowWatchBookmarks: booleanParameter(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === undefined ? undefined : booleanParameter(initial),
  };
  return watch ? withInitialEvents(options) : options;
}

/**
 * A watch without a resourceVersion begins with the existing objects, as before `sendInitialEvents` existed.
 */
function withInitialEvents(options: ListOptions): ListOptions {
  const { sendInitialEvents, resourceVersion, resourceVersionMatch } = options;
  const isRequested = sendInitialEvents !== undefined || resourceVersionMatch !== '';
  if (isRequested || (resourceVersion !== '' && resourceVersion !== '0')) return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function integer(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  try {
    return Number(parseGoInteger(text, 'ParseInt'));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

/** Validates combinations of options. Throws 422 with kube-apiserver's messages. */
export function validateListOptions(options: ListOptions, watch: boolean): void {
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
}

const matchField = 'resourceVersionMatch';
const matches = ['Exact', 'NotOlderThan', ''];
const withContinue = () =>
  fieldErrors.forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided');

function listErrors(options: ListOptions): FieldError[] {
  const { resourceVersion: version, resourceVersionMatch: match } = options;
  const initial =
    options.sendInitialEvents === undefined
      ? []
      : [fieldErrors.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  if (match === '') return initial;
  const errors: FieldError[] = [];
  if (version === '') {
    errors.push(
      fieldErrors.forbidden(
        matchField,
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    );
  }
  if (options.continue !== '') errors.push(withContinue());
  if (!matches.includes(match)) errors.push(fieldErrors.notSupported(matchField, match, matches));
  if (match === 'Exact' && version === '0') {
    errors.push(
      fieldErrors.forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    );
  }
  return [...errors, ...initial];
}

function watchErrors(options: ListOptions): FieldError[] {
  const { sendInitialEvents: initial, resourceVersionMatch: match } = options;
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== 'NotOlderThan') {
    errors.push(
      fieldErrors.forbidden(
        matchField,
        'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ),
    );
  }
  if (match === '') return errors;
  if (initial === undefined) {
    errors.push(
      fieldErrors.forbidden(
        matchField,
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  }
  if (match !== 'NotOlderThan') errors.push(fieldErrors.notSupported(matchField, match, ['NotOlderThan']));
  if (options.continue !== '') errors.push(withContinue());
  return errors;
}

/**
 * Returns the revision of a resourceVersion; `undefined` for the empty one. Throws kube-apiserver's error
 * message as `SyntaxError`.
 */
export function parseVersion(version: string): bigint | undefined {
  if (version === '') return undefined;
  try {
    return parseGoInteger(version, 'ParseUint');
  } catch (error) {
    const why = (error as Error).message;
    throw new SyntaxError(`resourceVersion: Invalid value: ${JSON.stringify(version)}: ${why}`);
  }
}
