/** One clause of an Accept header. */
export interface AcceptClause {
  type: string;
  params: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, most wanted first; at most 32 are read. No header accepts everything. */
export function acceptClauses(accept: string | undefined): AcceptClause[] {
  const parsed = (accept || '*/*')
    .split(',', 32)
    .filter((text) => text.trim() !== '')
    .map(parseClause);
  return parsed.sort((a, b) => b.q - a.q);
}

function parseClause(text: string): AcceptClause & { q: number } {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const params = new Map<string, string>();
  for (const part of rest) {
    const eq = part.indexOf('=');
    if (eq > 0) params.set(part.slice(0, eq).toLowerCase(), part.slice(eq + 1));
  }
  const q = Number(params.get('q') ?? 1);
  return { type: type.toLowerCase(), params, q: Number.isFinite(q) ? q : 1 };
}

/** The first of our media types that a clause covers, in the order of the clauses. */
export function chooseType(accept: string | undefined, types: readonly string[]): string | undefined {
  for (const { type } of acceptClauses(accept)) {
    const match = types.find((own) => type === '*/*' || type === own || type === `${own.split('/')[0]}/*`);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** The media type of aggregated discovery. */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const plainTypes = new Set([
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/*',
  '*/*',
]);

/** True where the client would rather have the aggregated document than the plain one. */
export function wantsAggregated(accept: string | undefined): boolean {
  if (!accept?.includes('APIGroupDiscoveryList')) return false;
  const first = acceptClauses(accept).find(
    (clause) => isAggregated(clause) || (plainTypes.has(clause.type) && !clause.params.has('as')),
  );
  return first !== undefined && isAggregated(first);
}

const isAggregated = ({ type, params }: AcceptClause): boolean =>
  type === 'application/json' &&
  params.get('g') === 'apidiscovery.k8s.io' &&
  params.get('v') === 'v2' &&
  params.get('as') === 'APIGroupDiscoveryList';
