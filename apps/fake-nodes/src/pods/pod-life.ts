import type { TransitionStage } from '../stages/stage.ts';
import type { Rejection } from './admitted-pods.ts';
import {
  applyChange,
  backOff,
  type Draft,
  failPod,
  finish,
  type PodEvent,
  receive,
  reject,
} from './apply-change.ts';
import { changeKey, pendingChanges, type PodMemory } from './pending-changes.ts';
import { matchingStages, type Plan, planChange } from './plans.ts';
import { hasEnded, type Pod, type PodStatus } from './pod.ts';

/** What is to be done about a Pod now, and when to look again. */
export interface Advance {
  /** The status to write; `undefined` if it is as it should be. */
  status?: PodStatus;
  events: readonly PodEvent[];
  /** The Pod can be deleted: nothing of it runs. */
  isOver: boolean;
  /** Milliseconds until the next change; `undefined`: none is known. */
  afterMs?: number;
  /** Keeps what was decided; called when the status is written. */
  commit(): void;
}

/** What a Pod's life depends on. */
export interface LifeContext {
  now: number;
  formatTime(milliseconds: number): string;
  random(): number;
  stages: readonly TransitionStage[];
  hostIP: string | undefined;
  /** Called when the node receives the Pod; returns why the node does not run it. */
  admit(): Rejection | undefined;
  podIP(): string | undefined;
}

interface Changed {
  isChanged: boolean;
  hasFailed: boolean;
}

const unchanged: Changed = { isChanged: false, hasFailed: false };

/** Changes that are made in one write. */
const changesAtOnce = 100;

/** Moves one Pod through its phases. Its state is in the status of the Pod; only plans and counts are kept here. */
export class PodLife {
  #plans = new Map<string, Plan>();
  #memory: PodMemory = { pulled: new Set(), failures: new Map() };

  /** Returns what is due. Nothing changes before the result is committed. */
  advance(pod: Pod, context: LifeContext): Advance {
    const memory = { pulled: new Set(this.#memory.pulled), failures: new Map(this.#memory.failures) };
    const plans = new Map(this.#plans);
    const draft = draftOf(pod, context, memory);
    const { isChanged, hasFailed } = this.#change(draft, plans, context);
    const at = hasFailed
      ? context.now
      : Math.min(...[...plans.values()].map((plan) => plan.at), deadlineOf(pod, draft.status));
    const isOver = isDeleted(pod) && pendingChanges(pod, draft.status, memory).length === 0;
    return {
      ...(isChanged ? { status: draft.status } : {}),
      events: draft.events,
      isOver,
      ...(at === Infinity ? {} : { afterMs: Math.max(0, at - context.now) }),
      commit: () => {
        this.#memory = memory;
        this.#plans = plans;
      },
    };
  }

  #change(draft: Draft, plans: Map<string, Plan>, context: LifeContext): Changed {
    const { pod, status } = draft;
    if (hasEnded({ status })) {
      plans.clear();
      return unchanged;
    }
    if (status.startTime === undefined) {
      // A Pod that is deleted before its node saw it never starts.
      if (isDeleted(pod)) return unchanged;
      const rejection = context.admit();
      if (rejection !== undefined) {
        reject(draft, rejection);
        return { isChanged: true, hasFailed: false };
      }
      receive(draft, context.hostIP);
      plan(draft, plans, context);
      return { isChanged: true, hasFailed: false };
    }
    if (deadlineOf(pod, status) <= context.now) {
      failPod(draft, 'DeadlineExceeded', 'Pod was active on the node longer than the specified deadline');
      plans.clear();
      return { isChanged: true, hasFailed: false };
    }
    return this.#changeContainers(draft, plans, context);
  }

  #changeContainers(draft: Draft, plans: Map<string, Plan>, context: LifeContext): Changed {
    let isChanged = false;
    for (let count = 0; count < changesAtOnce; count++) {
      const next = plan(draft, plans, context);
      isChanged ||= next.isChanged;
      if (next.due === undefined) break;
      plans.delete(changeKey(next.due.change));
      applyChange(draft, next.due.change, next.due.plan.failure);
      isChanged = true;
      // Failures are visible before what follows from them.
      if (next.due.plan.failure !== undefined) return { isChanged, hasFailed: true };
    }
    // A Pod that ends soon needs no write for the generation of its deletion.
    return { isChanged: isChanged || (!isDeleted(draft.pod) && refresh(draft)), hasFailed: false };
  }
}

const draftOf = (pod: Pod, { now, formatTime, podIP, stages }: LifeContext, memory: PodMemory): Draft => ({
  pod,
  status: structuredClone(pod.status ?? {}),
  memory,
  events: [],
  time: formatTime(now),
  podIP,
  isStaged: (transition, container) => matchingStages(stages, pod, { transition, container }).length > 0,
});

/** Plans the pending changes that have no plan, and returns one that is due. */
function plan(draft: Draft, plans: Map<string, Plan>, context: LifeContext) {
  const changes = pendingChanges(draft.pod, draft.status, draft.memory);
  const keys = new Set(changes.map(changeKey));
  for (const key of plans.keys()) if (!keys.has(key)) plans.delete(key);
  let isChanged = false;
  for (const change of changes) {
    const key = changeKey(change);
    const known = plans.get(key) ?? planChange(draft.pod, change, context);
    plans.set(key, known);
    const delay = known.at - context.now;
    if (delay > 0 && change.backOffMs !== undefined) isChanged = backOff(draft, change, delay) || isChanged;
  }
  const change = changes.find((one) => (plans.get(changeKey(one)) as Plan).at <= context.now);
  const due = change === undefined ? undefined : { change, plan: plans.get(changeKey(change)) as Plan };
  return { isChanged, due };
}

/** Follows what others changed: the generation, and conditions of readiness gates. */
function refresh(draft: Draft): boolean {
  const { pod } = draft;
  finish(draft);
  const before = pod.status?.conditions ?? [];
  const isSame = (draft.status.conditions ?? []).every((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    return (
      old?.status === condition.status &&
      (old.observedGeneration ?? 0) === (condition.observedGeneration ?? 0)
    );
  });
  return !isSame || pod.status?.observedGeneration !== draft.status.observedGeneration;
}

const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

function deadlineOf({ spec }: Pod, { startTime }: PodStatus): number {
  if (spec.activeDeadlineSeconds === undefined || startTime === undefined) return Infinity;
  return Date.parse(startTime) + spec.activeDeadlineSeconds * 1000;
}
