import { createHash } from 'node:crypto';
import type { StageFailure } from '../stages/stage.ts';
import type { Rejection } from './admitted-pods.ts';
import { backOffText } from './back-off.ts';
import { podConditions } from './conditions.ts';
import { changeKey, type PendingChange, type PodMemory } from './pending-changes.ts';
import { podPhase } from './phase.ts';
import {
  allStatuses,
  type Container,
  type ContainerState,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type PodStatus,
} from './pod.ts';

/** An event about a Pod, as a kubelet records it. */
export interface PodEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The container that it is about; empty for the Pod. */
  container: string;
}

/** What a change needs to know, and where it leaves its results. */
export interface Draft {
  pod: Pod;
  status: PodStatus;
  memory: PodMemory;
  events: PodEvent[];
  /** The time in the status. */
  time: string;
  /** The addresses of the Pod; the first is that of the Pod itself. `undefined`: there is none left. */
  podIP(): string | undefined;
  /** True if a stage adjusts a probe of the container, so that it needs a change of its own. */
  isStaged(transition: 'Startup' | 'Readiness', container: string): boolean;
}

type Effect = (draft: Draft, change: PendingChange, failure: StageFailure | undefined) => void;

/** Performs a change, or lets it fail. */
export function applyChange(draft: Draft, change: PendingChange, failure: StageFailure | undefined): void {
  const { failures } = draft.memory;
  const key = changeKey(change);
  if (failure === undefined) failures.delete(key);
  else failures.set(key, change.failures + 1);
  effects[change.transition](draft, change, failure);
  finish(draft);
}

/** Derives the phase and the conditions from the statuses of the containers. */
export function finish(draft: Draft): void {
  const { pod, status, time } = draft;
  status.phase = podPhase(pod, status);
  const { generation } = pod.metadata;
  if (generation !== undefined) status.observedGeneration = Number(generation);
  status.conditions = podConditions(pod, status, time);
}

/** Sets the status of a Pod that its node received: no container is created yet. */
export function receive(draft: Draft, hostIP: string | undefined): void {
  const { pod, status, time } = draft;
  const { initContainers = [], containers } = pod.spec;
  status.startTime = time;
  if (hostIP !== undefined) [status.hostIP, status.hostIPs] = [hostIP, [{ ip: hostIP }]];
  const reason = initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const created = (container: Container) => newStatus(container, reason);
  if (initContainers.length > 0) status.initContainerStatuses = initContainers.map(created);
  status.containerStatuses = containers.map(created);
  finish(draft);
}

/** Ends a Pod that its node does not run. */
export function reject(draft: Draft, { reason, message }: Rejection): void {
  const { pod, status, time } = draft;
  Object.assign(status, {
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    startTime: time,
  });
  const { generation } = pod.metadata;
  if (generation !== undefined) status.observedGeneration = Number(generation);
  record(draft, '', 'Warning', reason, message);
}

const newStatus = (container: Container, reason: string): ContainerStatus => ({
  name: container.name,
  image: container.image,
  imageID: '',
  ready: false,
  started: false,
  restartCount: 0,
  state: { waiting: { reason } },
  lastState: {},
});

/** Ends a Pod without its containers' doing, with all that run. */
export function failPod(draft: Draft, reason: string, message: string): void {
  const { status } = draft;
  for (const one of allStatuses(status))
    if (one.state.running) end(draft, one, { exitCode: 137, reason: 'Error' });
  finish(draft);
  Object.assign(status, { phase: 'Failed', reason, message });
  status.conditions = podConditions(draft.pod, status, draft.time);
}

const effects: Readonly<Record<PendingChange['transition'], Effect>> = {
  Sandbox(draft, change, failure) {
    const address = failure === undefined ? draft.podIP() : undefined;
    if (address === undefined) {
      const why = failure?.message ?? 'no IP addresses available in range set';
      draft.memory.failures.set(changeKey(change), change.failures + 1);
      record(
        draft,
        '',
        'Warning',
        failure?.reason ?? 'FailedCreatePodSandBox',
        `Failed to create pod sandbox: ${why}`,
      );
      return;
    }
    draft.status.podIP = address;
    draft.status.podIPs = [{ ip: address }];
  },
  Pull(draft, { container, failures }, failure) {
    const { one, image } = find(draft, container);
    if (failure === undefined) {
      draft.memory.pulled.add(container);
      record(draft, container, 'Normal', 'Pulled', `Container image "${image}" already present on machine`);
      return;
    }
    const reason = failure.reason ?? 'ErrImagePull';
    const message = failure.message ?? `failed to pull image "${image}": the image does not exist`;
    one.state = { waiting: { reason, message } };
    if (failures === 0) record(draft, container, 'Normal', 'Pulling', `Pulling image "${image}"`);
    record(draft, container, 'Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
    record(draft, container, 'Warning', 'Failed', `Error: ${reason}`);
  },
  Start(draft, { container }, failure) {
    const { one } = find(draft, container);
    if (failure === undefined) return start(draft, container);
    const [reason, message] = [
      failure.reason ?? 'StartError',
      failure.message ?? 'the container did not start',
    ];
    record(draft, container, 'Warning', 'Failed', `Error: ${message}`);
    end(draft, one, { exitCode: failure.exitCode ?? 128, reason, message });
  },
  Startup(draft, { container }, failure) {
    const { one, spec } = find(draft, container);
    if (failure !== undefined) return unhealthy(draft, container, 'Startup', failure);
    one.started = true;
    one.ready = !needsReadiness(draft, spec);
  },
  Readiness(draft, { container }, failure) {
    if (failure !== undefined) return unhealthy(draft, container, 'Readiness', failure);
    find(draft, container).one.ready = true;
  },
  Exit(draft, { container }, failure) {
    const { one, isInit } = find(draft, container);
    const exitCode = failure === undefined ? 0 : (failure.exitCode ?? 1);
    const reason = failure?.reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    end(draft, one, {
      exitCode,
      reason,
      ...(failure?.message === undefined ? {} : { message: failure.message }),
    });
    if (isInit && exitCode === 0) one.ready = true;
  },
  Restart: (draft, { container }) => start(draft, container),
  Terminate(draft, { container }, failure) {
    const exitCode = failure?.exitCode ?? 0;
    const reason = failure?.reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    for (const one of allStatuses(draft.status)) {
      if (one.state.running && (container === '' || one.name === container))
        end(draft, one, { exitCode, reason });
    }
  },
};

/** Shows that a container waits for its next start, or its next pull. Returns false if the status says so already. */
export function backOff(draft: Draft, { transition, container }: PendingChange, delayMs: number): boolean {
  if (container === '') return false;
  const { one, image } = find(draft, container);
  const { waiting, terminated } = one.state;
  if (transition === 'Restart' && terminated !== undefined) {
    const { namespace, name, uid } = draft.pod.metadata;
    const which = `restarting failed container=${container} pod=${name}_${namespace}(${uid})`;
    one.lastState = { terminated };
    one.state = waitingFor('CrashLoopBackOff', `back-off ${backOffText(delayMs)} ${which}`);
    const pod = `${name}_${namespace}(${uid})`;
    record(
      draft,
      container,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container} in pod ${pod}`,
    );
  } else if (
    transition === 'Pull' &&
    waiting?.message !== undefined &&
    waiting.reason !== 'ImagePullBackOff'
  ) {
    const message = `Back-off pulling image "${image}"`;
    one.state = waitingFor('ImagePullBackOff', `${message}: ${waiting.reason}: ${waiting.message}`);
    record(draft, container, 'Normal', 'BackOff', message);
  } else return false;
  finish(draft);
  return true;
}

const waitingFor = (reason: string, message: string): ContainerState => ({ waiting: { reason, message } });

function start(draft: Draft, container: string): void {
  const { one, spec, isInit } = find(draft, container);
  const isRestart = one.state.terminated !== undefined || one.lastState.terminated !== undefined;
  if (one.state.terminated !== undefined) one.lastState = { terminated: one.state.terminated };
  if (isRestart) one.restartCount++;
  const { uid } = draft.pod.metadata;
  one.image = spec.image;
  one.imageID = `annex://${digest(spec.image)}`;
  one.containerID = `annex://${digest(`${uid}/${container}/${one.restartCount}`)}`;
  one.state = { running: { startedAt: draft.time } };
  const probed = !isInit || isSidecar(spec);
  one.started = !(probed && (spec.startupProbe !== undefined || draft.isStaged('Startup', container)));
  one.ready = probed && one.started && !needsReadiness(draft, spec);
  if (spec.resources?.requests !== undefined) one.allocatedResources = spec.resources.requests;
  if (spec.resources !== undefined) one.resources = spec.resources;
  record(draft, container, 'Normal', 'Created', 'Container created');
  record(draft, container, 'Normal', 'Started', 'Container started');
}

const needsReadiness = (draft: Draft, { name, readinessProbe }: Container): boolean =>
  readinessProbe !== undefined || draft.isStaged('Readiness', name);

function end(
  draft: Draft,
  one: ContainerStatus,
  ended: { exitCode: number; reason: string; message?: string },
): void {
  const startedAt = one.state.running?.startedAt ?? null;
  const id = one.containerID === undefined ? {} : { containerID: one.containerID };
  one.state = { terminated: { ...ended, startedAt, finishedAt: draft.time, ...id } };
  [one.ready, one.started] = [false, false];
}

function unhealthy(draft: Draft, container: string, probe: string, failure: StageFailure): void {
  const message = `${probe} probe failed: ${failure.message ?? 'a stage lets it fail'}`;
  record(draft, container, 'Warning', 'Unhealthy', message);
}

function record(
  draft: Draft,
  container: string,
  type: PodEvent['type'],
  reason: string,
  message: string,
): void {
  draft.events.push({ type, reason, message, container });
}

function find({ pod, status }: Draft, name: string) {
  const isInit = status.initContainerStatuses?.some((one) => one.name === name) ?? false;
  const one = allStatuses(status).find((status) => status.name === name);
  const spec = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find(
    (each) => each.name === name,
  );
  if (one === undefined || spec === undefined) throw new Error(`there is no container ${name}`);
  return { one, spec, isInit, image: spec.image };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
