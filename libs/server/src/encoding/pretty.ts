import { acceptClauses, covers } from './accept.ts';
import type { RequestContext } from '@annex/kinds';

/** What is true to Go's `strconv.ParseBool`. */
const goTrue = /^(?:1|t|T|true|TRUE|True)$/;

const people = /^(curl|Wget|Mozilla\/5\.0)/;

/** True where JSON is to be indented: `Accept` or `pretty` in the query say so, else tools that people look at directly. */
export function isPrettyRequested(request: Pick<RequestContext, 'query' | 'req'>): boolean {
  if (isAccepted(request.req.headers.accept)) return true;
  const requested = request.query.get('pretty');
  if (requested) return goTrue.test(requested);
  return people.test(request.req.headers['user-agent'] ?? '');
}

function isAccepted(accept: string | undefined): boolean {
  if (!accept?.includes('pretty')) return false;
  const json = acceptClauses(accept).find(({ type }) => covers(type, 'application/json'));
  return json?.params.get('pretty') === '1';
}
