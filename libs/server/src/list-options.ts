import { type FieldError, badRequest, fieldErrors, internalError } from '@annex/machinery';
import { invalidOptions } from './options.ts';
import { isTrue } from './request-info.ts';

export type VersionMatch = 'Exact' | 'NotOlderThan';

/** What the query of a list or a watch says. */
export interface ListOptions {
  labelSelector: string;
  fieldSelector: string;
  /** `undefined` where not given; 0 means "any". */
  resourceVersion: number | undefined;
  match: VersionMatch | undefined;
  /** 0 is no limit. */
  limit: number;
  continue: string;
  timeoutSeconds: number | undefined;
  allowWatchBookmarks: boolean;
  sendInitialEvents: boolean | undefined;
}

/**
 * Reads and checks the options of a list or watch. Throws with kube's texts: 400 for what does not parse, 422 for
 * what does not fit together. A malformed resourceVersion is 400 on a list, 500 on a watch.
 */
export function listOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const initial = query.get('sendInitialEvents');
  const errors = (watch ? watchErrors : listErrors)(
    version,
    match,
    initial === null ? undefined : isTrue(initial),
  );
  if (watch && query.get('continue'))
    errors.push(fieldErrors.forbidden('continue', 'continue is forbidden for watch'));
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: parseVersion(version, watch),
    match: match === '' ? undefined : (match as VersionMatch),
    limit: Math.max(0, integer(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
}

/** The revision a resourceVersion names; `undefined` for the empty one. */
export function parseVersion(version: string, internal: boolean): number | undefined {
  if (version === '') return undefined;
  const revision = Number(version);
  if (/^\d+$/.test(version) && Number.isSafeInteger(revision)) return revision;
  const why = `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
  throw internal ? internalError(why) : badRequest(`Invalid value: ${JSON.stringify(version)}: ${why}`);
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,18}$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

const matches = ['Exact', 'NotOlderThan', ''];

function listErrors(version: string, match: string, initial: boolean | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== undefined) {
    errors.push(fieldErrors.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (match === '') return errors;
  if (version === '') {
    errors.push(
      fieldErrors.forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    );
  }
  if (!matches.includes(match)) {
    errors.push(fieldErrors.notSupported('resourceVersionMatch', match, matches));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(
      fieldErrors.forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ),
    );
  }
  return errors;
}

function watchErrors(_version: string, match: string, initial: boolean | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (initial === undefined && match !== '') {
    errors.push(
      fieldErrors.forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    );
  }
  if (initial === true && match !== 'NotOlderThan') {
    errors.push(
      fieldErrors.forbidden(
        'resourceVersionMatch',
        'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ),
    );
  }
  if (match !== '' && match !== 'NotOlderThan') {
    errors.push(fieldErrors.notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  }
  return errors;
}
