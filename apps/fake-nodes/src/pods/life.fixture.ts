import { formatTime, type JsonObject } from '@annex/machinery';
import { readStages } from '../stages/stage-file.ts';
import { fileVersion } from '../stages/stage-file.ts';
import type { Rejection } from './admitted-pods.ts';
import { PodLife } from './pod-life.ts';
import { allStatuses, type ContainerStatus, type Pod, type PodStatus } from './pod.ts';

/** What happens to a Pod. */
export interface Lived {
  /** One line for each write: `PHASE READY CONTAINER=STATE …`. */
  lines: string[];
  /** `REASON MESSAGE` of each event. */
  events: string[];
  status: PodStatus;
  /** Milliseconds until it can be deleted; `undefined`: it lives. */
  overAt: number | undefined;
}

const start = Date.UTC(2026, 0, 1);

/** Returns a Pod on a node. */
export const podWith = (spec: JsonObject, metadata: JsonObject = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'ns', uid: 'u', generation: 1, ...metadata },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'nginx' }], ...spec },
  }) as unknown as Pod;

/** Returns a Stage of Annex. */
export const stage = (spec: JsonObject): JsonObject => ({
  apiVersion: fileVersion,
  kind: 'Stage',
  metadata: { name: String(spec.transition) },
  spec: { resourceRef: { kind: 'Pod' }, ...spec },
});

/** Deletes a Pod: it has this many seconds to end. */
export function deletePod(pod: Pod, atMs: number, graceSeconds: number): void {
  pod.metadata.deletionTimestamp = formatTime(start + atMs + graceSeconds * 1000);
  pod.metadata.deletionGracePeriodSeconds = graceSeconds as never;
}

/** Lets a Pod live without an API server; `at` are changes from outside, by their milliseconds. Random numbers are 0. */
export function live(
  pod: Pod,
  {
    stages = [],
    at = {},
    untilMs = 60_000,
    rejection,
  }: {
    stages?: JsonObject[];
    at?: Record<number, (pod: Pod) => void>;
    untilMs?: number;
    rejection?: Rejection;
  },
): Lived {
  const errors: string[] = [];
  const { transitions } = readStages(stages, errors);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const [life, lines, events]: [PodLife, string[], string[]] = [new PodLife(), [], []];
  const outside = Object.entries(at).map(([ms, change]) => ({ ms: Number(ms), change }));
  let now = 0;
  for (let count = 0; count < 1000 && now <= untilMs; count++) {
    for (const one of outside.splice(0)) {
      if (one.ms <= now) one.change(pod);
      else outside.push(one);
    }
    const advance = life.advance(pod, {
      now: start + now,
      formatTime,
      random: () => 0,
      stages: transitions,
      hostIP: '198.19.0.1',
      admit: () => rejection,
      podIP: () => '198.18.0.1',
    });
    if (advance.status !== undefined) pod.status = advance.status;
    advance.commit();
    events.push(...advance.events.map(({ reason, message }) => `${reason} ${message}`));
    if (advance.status !== undefined) lines.push(lineOf(advance.status));
    if (advance.isOver && advance.status === undefined)
      return { lines, events, status: pod.status ?? {}, overAt: now };
    const next = Math.min(advance.afterMs ?? Infinity, ...outside.map(({ ms }) => ms - now));
    if (next === Infinity && advance.status === undefined) break;
    now += next === Infinity ? 0 : next;
  }
  return { lines, events, status: pod.status ?? {}, overAt: undefined };
}

function lineOf(status: PodStatus): string {
  const ready =
    status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' ? 'ready' : 'unready';
  return [status.phase, ready, ...allStatuses(status).map(containerText)].join(' ');
}

function containerText({ name, state, restartCount, ready }: ContainerStatus): string {
  const restarts = restartCount === 0 ? '' : `#${restartCount}`;
  const { waiting, running, terminated } = state;
  if (waiting !== undefined) return `${name}${restarts}=${waiting.reason}`;
  if (running !== undefined) return `${name}${restarts}=${ready ? 'running+' : 'running'}`;
  return `${name}${restarts}=${terminated?.reason}(${terminated?.exitCode})`;
}
