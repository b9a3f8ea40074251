import { formatTime } from '@annex/machinery';
import type { PriorityLevel } from './priority-level.ts';
import type { Queue } from './queue.ts';
import type { Ticket } from './ticket.ts';

/** The levels: one line each. */
export const dumpPriorityLevels = (levels: readonly PriorityLevel[]): string =>
  table(levelColumns, levels.map(levelRow));

const levelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

const levelRow = ({ name, isQuiescing, queues }: PriorityLevel) => [
  name,
  queues.queues.filter(({ length }) => length > 0).length,
  queues.isIdle,
  isQuiescing,
  queues.waiting,
  queues.executing.size,
  queues.counts.dispatched,
  queues.counts.rejected,
  queues.counts.timedOut,
  queues.counts.cancelled,
];

/** The queues of all levels. */
export const dumpQueues = (levels: readonly PriorityLevel[]): string =>
  table(
    queueColumns,
    levels.flatMap(({ name, queues }) => queues.queues.map((queue) => queueRow(name, queue))),
  );

const queueColumns = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function queueRow(level: string, queue: Queue) {
  const waiting = [...queue.waiting];
  const sum = (value: (ticket: Ticket) => number) =>
    waiting.reduce((total, ticket) => total + value(ticket), 0);
  return [
    level,
    queue.index,
    queue.length,
    queue.executing,
    queue.seatsInUse,
    seatSeconds(queue.nextStart),
    sum(({ estimate }) => estimate.seats),
    sum(({ seats }) => seats),
    seatSeconds(queue.waitingWork),
  ];
}

/** The requests that have seats or wait for them; `details` adds their targets. `now` is that of both clocks. */
export function dumpRequests(
  levels: readonly PriorityLevel[],
  details: boolean,
  now: { wall: number; monotonic: number },
): string {
  const time = (at: number) => formatTime(now.wall - (now.monotonic - at));
  const rows = levels.flatMap(({ name, queues }) => {
    const waiting = queues.queues.flatMap((queue) => [...queue.waiting].map((ticket, i) => ({ ticket, i })));
    const executing = [...queues.executing].map((ticket) => ({ ticket, i: -1 }));
    return [...waiting, ...executing].map(({ ticket, i }) => [
      name,
      ...requestRow(ticket, i, time),
      ...(details ? detailsOf(ticket) : []),
    ]);
  });
  return table([...requestColumns, ...(details ? detailColumns : [])], rows);
}

const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];

const requestRow = (ticket: Ticket, index: number, time: (at: number) => string) => [
  ticket.schema,
  ticket.queue?.index ?? -1,
  index,
  ticket.distinguisher,
  time(ticket.arrivedAt),
  ticket.estimate.seats,
  ticket.estimate.finalSeats,
  `${ticket.estimate.finalMs}ms`,
  ticket.startedAt === undefined ? '0001-01-01T00:00:00Z' : time(ticket.startedAt),
];

const detailColumns = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
];

function detailsOf({ request: { user, info } }: Ticket) {
  const version = info.apiGroup === '' ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
  return [
    user.name,
    info.verb,
    info.path,
    info.namespace,
    info.name,
    version,
    info.resource,
    info.subresource,
  ];
}

const seatSeconds = (seatMilliseconds: number): string => `${(seatMilliseconds / 1000).toFixed(8)}ss`;

type Cell = string | number | boolean;

/** Aligns columns as Go's tabwriter does: cells end with a comma, columns are at least eight characters wide. */
function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [header, ...rows].map((row) =>
    row.map((cell, i) => `${cell}${i < row.length - 1 ? ',' : ''}`),
  );
  const widths = header.map((_, i) => Math.max(8, ...lines.map((line) => (line[i] ?? '').length + 1)));
  return lines
    .map(
      (line) => `${line.map((cell, i) => (i < line.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('')}\n`,
    )
    .join('');
}
