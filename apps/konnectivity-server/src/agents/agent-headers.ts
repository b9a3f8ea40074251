import { GrpcError, grpcStatus } from '@annex/tunnel';
import { Identifiers } from './identifiers.ts';

/** Returns all values of a header, from Node's list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.flatMap((text, index) =>
    index % 2 === 0 && text.toLowerCase() === name ? [rawHeaders[index + 1] ?? ''] : [],
  );
}

/** Bytes of the id of an agent: a UUID, the name of a node, or of a Pod. */
export const maxAgentIdBytes = 1_024;

/** Reads what an agent announces. Throws GrpcError with the texts of apiserver-network-proxy. */
export function readAgentHeaders(rawHeaders: readonly string[]): { id: string; identifiers: Identifiers } {
  const ids = headerValues(rawHeaders, 'agentid');
  if (ids.length !== 1) throw refused(`expected one agent ID in the context, got [${ids.join(' ')}]`);
  const [id = ''] = ids;
  if (id.length > maxAgentIdBytes) throw refused('the agent ID is too long');
  const sets = headerValues(rawHeaders, 'agentidentifiers');
  if (sets.length > 1)
    throw refused(`expected at most one set of agent identifiers in the context, got [${sets.join(' ')}]`);
  try {
    return { id, identifiers: new Identifiers(sets[0] ?? '') };
  } catch (error) {
    throw refused((error as Error).message);
  }
}

const refused = (message: string): GrpcError => new GrpcError(grpcStatus.UNKNOWN, message);
