import type { RequestContext } from '@annex/kinds';
import { badRequest, type FieldError, fieldErrors, invalid, parseGoInteger } from '@annex/machinery';
import { timeError } from '@annex/schema';

const { forbidden } = fieldErrors;

/** The numeric options of a log, with their minimums. */
const leastOf: Readonly<Record<string, bigint>> = { tailLines: 0n, limitBytes: 1n, sinceSeconds: 1n };

/** Checks the options of a log in the query. Throws 400 if an option cannot be parsed and 422 if it is invalid. */
export function checkLogOptions({ query, info }: RequestContext): void {
  const sinceTime = query.get('sinceTime');
  const error = sinceTime ? timeError(sinceTime) : undefined;
  if (error !== undefined) throw badRequest(error);
  const bothSince = sinceTime && query.has('sinceSeconds');
  const errors = Object.entries(leastOf).flatMap(([name, least]): FieldError[] => {
    const number = numberOf(query.get(name));
    if (name === 'sinceSeconds' && bothSince) {
      return [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')];
    }
    const why = least === 0n ? 'must be greater than or equal to 0' : 'must be greater than 0';
    return number !== undefined && number < least ? [fieldErrors.invalid(name, Number(number), why)] : [];
  });
  if (query.has('stream')) errors.push(forbidden('stream', 'may not be specified'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, info.name, errors);
}

function numberOf(text: string | undefined): bigint | undefined {
  if (!text) return undefined;
  try {
    return parseGoInteger(text, 'ParseInt');
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
