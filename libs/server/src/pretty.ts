import type { RequestContext } from './context.ts';

const people = /^(curl|Wget|Mozilla\/5\.0)/;

/** True where JSON is to be indented: `pretty` in the query says so, else tools that people look at directly. */
export function wantsPretty(ctx: Pick<RequestContext, 'query' | 'req'>): boolean {
  const asked = ctx.query.get('pretty');
  if (asked !== null && asked !== '') return /^(1|t|true)$/i.test(asked);
  return people.test(ctx.req.headers['user-agent'] ?? '');
}
