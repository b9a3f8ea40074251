import type { Query } from '@annex/machinery';
import type { FlowRequest } from './flow-request.ts';

/** The seats that a request takes. */
export interface WorkEstimate {
  seats: number;
  /** The seats that it takes for some time after its response, for events that watchers get. */
  finalSeats: number;
  finalMs: number;
}

/** What is known about the objects that a request reads or changes. */
export interface ObjectFacts {
  /** The number of objects of a resource and their average size in bytes; undefined if unknown. */
  stored(group: string, resource: string): { count: number; averageBytes: number } | undefined;
  /** The number of watches that get the events of a change. */
  watches(info: FlowRequest['info']): number;
}

const mostSeats = 100;
const mostSeatsOfChange = 10;
const bytesPerSeat = 100_000;
/** The maximum memory of a list, which is sent in pieces. */
const bytesAtOnce = 1_000_000;
const watchesPerSeat = 10;
const eventMs = 5;

const oneSeat: WorkEstimate = { seats: 1, finalSeats: 0, finalMs: 0 };
const changes = new Set(['create', 'update', 'patch', 'delete']);

/**
 * Estimates the seats of a request, at most those of its level: lists take one for each 100 kB, changes one for each ten
 * watchers after they end. Source: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#seats-occupied-by-a-request
 */
export function estimateWork(
  request: FlowRequest,
  facts: ObjectFacts,
  seatsOfLevel = mostSeats,
): WorkEstimate {
  const { info } = request;
  if (info.verb === 'list' || info.verb === 'watch') {
    return estimateList(request, facts, Math.min(seatsOfLevel, mostSeats));
  }
  return changes.has(info.verb)
    ? estimateChange(info, facts, Math.min(seatsOfLevel, mostSeatsOfChange))
    : oneSeat;
}

function estimateList({ info, query }: FlowRequest, facts: ObjectFacts, most: number): WorkEstimate {
  if (info.verb === 'watch' && !includesExisting(query)) return oneSeat;
  const stored = facts.stored(info.apiGroup, info.resource);
  if (stored === undefined) return oneSeat;
  const limit = Number(query.get('limit') ?? 0);
  const limited = limit > 0 ? Math.min(limit, stored.count) : stored.count;
  const objects = info.name === '' ? limited : 1;
  const bytes = Math.min(objects * stored.averageBytes, bytesAtOnce);
  const seats = Math.max(1, Math.min(Math.ceil(bytes / bytesPerSeat), most));
  return seats === 1 ? oneSeat : { seats, finalSeats: 0, finalMs: 0 };
}

function estimateChange(info: FlowRequest['info'], facts: ObjectFacts, most: number): WorkEstimate {
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat;
  const watches = facts.watches(info);
  if (watches < watchesPerSeat) return oneSeat;
  const wanted = Math.ceil(watches / watchesPerSeat);
  const finalSeats = Math.min(wanted, most);
  return { seats: 1, finalSeats, finalMs: (wanted * eventMs) / finalSeats };
}

/** Returns whether a watch begins with the existing objects. */
function includesExisting(query: Query): boolean {
  const version = query.get('resourceVersion') ?? '';
  return query.get('sendInitialEvents') === 'true' || version === '' || version === '0';
}
