import { age, type Cell } from '@annex/kinds';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { at, listAt, textCell } from '../../shared/cells.ts';

/** The summary that kubectl shows of a pod's containers. All cells of a row share it. */
interface PodSummary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

const summaries = new WeakMap<KubeObject, PodSummary>();

function summaryOf(pod: KubeObject): PodSummary {
  let summary = summaries.get(pod);
  if (summary === undefined) summaries.set(pod, (summary = summarize(pod)));
  return summary;
}

const isSidecar = (container: JsonObject | undefined) => container?.restartPolicy === 'Always';
const conditionOf = (pod: KubeObject, type: string) =>
  listAt(pod, 'status.conditions').find((condition) => condition.type === type);

function summarize(pod: KubeObject): PodSummary {
  const inits = listAt(pod, 'spec.initContainers');
  const gated = conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated';
  const phase = String(at(pod, 'status.reason') || at(pod, 'status.phase') || '');
  const summary: PodSummary = {
    ready: 0,
    total: listAt(pod, 'spec.containers').length + inits.filter(isSidecar).length,
    reason: gated ? 'SchedulingGated' : phase,
    restarts: 0,
    lastRestart: '',
  };
  const sidecars = { restarts: 0, lastRestart: '' };
  const initializing = readInitContainers(pod, inits, summary, sidecars);
  if (!initializing || conditionOf(pod, 'Initialized')?.status === 'True') {
    Object.assign(summary, sidecars);
    readContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    const ended = ['Failed', 'Succeeded'].includes(String(at(pod, 'status.phase')));
    if (at(pod, 'status.reason') === 'NodeLost') summary.reason = 'Unknown';
    else if (!ended) summary.reason = 'Terminating';
  }
  return summary;
}

type Restarts = Pick<PodSummary, 'restarts' | 'lastRestart'>;

function addRestarts(into: Restarts, status: JsonObject): void {
  into.restarts += Number(status.restartCount ?? 0);
  const finished = String(at(status, 'lastState.terminated.finishedAt') ?? '');
  if (finished > into.lastRestart) into.lastRestart = finished;
}

/** Returns the reason of a terminated container as the reason of a pod. */
function endOf(terminated: JsonObject): string {
  if (terminated.reason) return String(terminated.reason);
  return terminated.signal
    ? `Signal:${Number(terminated.signal)}`
    : `ExitCode:${Number(terminated.exitCode ?? 0)}`;
}

/** Reads the init containers up to the first that is not completed; returns true if there is one. */
function readInitContainers(
  pod: KubeObject,
  inits: JsonObject[],
  summary: PodSummary,
  sidecars: Restarts,
): boolean {
  const byName = new Map(inits.toReversed().map((container) => [container.name, container]));
  for (const [index, status] of listAt(pod, 'status.initContainerStatuses').entries()) {
    addRestarts(summary, status);
    const sidecar = isSidecar(byName.get(status.name));
    if (sidecar) addRestarts(sidecars, status);
    const terminated = at(status, 'state.terminated') as JsonObject | undefined;
    if (terminated !== undefined && Number(terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && status.started === true) {
      if (status.ready === true) summary.ready += 1;
      continue;
    }
    const waiting = at(status, 'state.waiting.reason');
    if (terminated !== undefined) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting && waiting !== 'PodInitializing') summary.reason = `Init:${String(waiting)}`;
    else summary.reason = `Init:${index}/${inits.length}`;
    return true;
  }
  return false;
}

function readContainers(pod: KubeObject, summary: PodSummary): void {
  let running = false;
  let failed = '';
  for (const status of listAt(pod, 'status.containerStatuses').reverse()) {
    addRestarts(summary, status);
    const waiting = at(status, 'state.waiting.reason');
    const terminated = at(status, 'state.terminated') as JsonObject | undefined;
    if (waiting) summary.reason = String(waiting);
    else if (terminated !== undefined) {
      summary.reason = endOf(terminated);
      if (Number(terminated.exitCode ?? 0) !== 0) failed = summary.reason;
    } else if (status.ready === true && at(status, 'state.running') !== undefined) {
      running = true;
      summary.ready += 1;
    }
  }
  // A pod is still running if one container completed and another one did not.
  if (summary.reason !== 'Completed') return;
  if (running && conditionOf(pod, 'Ready')?.status === 'True') summary.reason = 'Running';
  else if (failed) summary.reason = failed;
  else if (running) summary.reason = 'NotReady';
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return '<none>';
  const open = gates.filter((gate) => conditionOf(pod, String(gate.conditionType))?.status === 'True');
  return `${open.length}/${gates.length}`;
}

export const podColumns: Readonly<Record<string, Cell>> = {
  Ready: (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`,
  Status: (pod) => summaryOf(pod).reason,
  Restarts: (pod, now) => {
    const { restarts, lastRestart } = summaryOf(pod);
    return restarts !== 0 && lastRestart ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts);
  },
  IP: (pod) => String(listAt(pod, 'status.podIPs')[0]?.ip || '<none>'),
  Node: textCell('spec.nodeName', '<none>'),
  'Nominated Node': textCell('status.nominatedNodeName', '<none>'),
  'Readiness Gates': readinessGates,
};
