import { acceptClauses, covers } from './accept.ts';
import type { RequestContext } from '@annex/kinds';
import { parseGoBoolean } from '@annex/machinery';

const humanAgents = /^(curl|Wget|Mozilla\/5\.0)/;

/**
 * Returns whether to indent JSON: if `Accept` or the query parameter `pretty` request it, else for curl, Wget
 * and browsers.
 */
export function isPrettyRequested(request: Pick<RequestContext, 'query' | 'req'>): boolean {
  if (isAccepted(request.req.headers.accept)) return true;
  const requested = request.query.get('pretty');
  if (requested) return parseGoBoolean(requested) === true;
  return humanAgents.test(request.req.headers['user-agent'] ?? '');
}

function isAccepted(accept: string | undefined): boolean {
  if (!accept?.includes('pretty')) return false;
  const json = acceptClauses(accept).find(({ type }) => covers(type, 'application/json'));
  return json?.params.get('pretty') === '1';
}
