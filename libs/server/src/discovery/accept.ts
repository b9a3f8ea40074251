import { type AcceptClause, acceptClauses } from '../encoding/accept.ts';

/** The media type of aggregated discovery. */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const plainTypes = new Set([
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/*',
  '*/*',
]);

/** Returns whether the client prefers the aggregated document to the plain one. */
export function isAggregatedRequested(accept: string | undefined): boolean {
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
