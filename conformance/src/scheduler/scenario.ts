import { readFileSync } from 'node:fs';
import type { KubeObject } from '@annex/machinery';
import { loadYaml } from '@annex/testkit';

/** An object of a scenario. */
export interface ScenarioObject extends KubeObject {
  kind: string;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

/** The scheduling state of a Pod. Missing fields and `null` are equal. */
export interface PodState {
  node?: string | null;
  condition?: Record<string, string> | null;
  nominatedNodeName?: string;
  gates?: string[];
  disruptionTarget?: Record<string, string>;
  gone?: boolean;
  terminating?: boolean;
}

/** The expected state of a Pod. */
export interface ExpectedPod extends PodState {
  /** Any of these nodes. */
  nodes?: string[];
  /** Any of these conditions. */
  conditions?: Record<string, string>[];
}

/** An event without times and counts. */
export interface SeenEvent {
  about: string;
  type: string;
  reason: string;
  action?: string;
  from?: string;
  related?: string;
  note: string;
}

/** The number of Pods by node, or by a label of the node. */
export interface ExpectedSpread {
  /** The beginning of the names of the Pods. */
  pods: string;
  by: string;
  counts?: Record<string, number>;
  /** The numbers alone, from the largest. */
  sizes?: number[];
}

/** A value in the response to a GET request. */
export interface ExpectedValue {
  get: string;
  at: (string | number)[];
  value: unknown;
}

/** A request to an extender. */
export interface ExtenderCall {
  verb: string;
  keys: string[];
  pod?: string;
  nodes?: string[];
  victims?: Record<string, number>;
}

/** The state to wait for. */
export interface Expectation {
  pods?: Record<string, ExpectedPod>;
  events?: (SeenEvent & { optional?: boolean })[];
  /** FailedScheduling events that are not listed are not compared from here on. */
  passing?: boolean;
  spread?: ExpectedSpread[];
  also?: ExpectedValue[];
  extenderCalls?: Record<string, ExtenderCall[]>;
  /** Seconds that the state must last; default 0.4. */
  hold?: number;
  /** Seconds until the state must be reached. */
  timeout?: number;
}

/** The responses of an extender. */
export interface ExtenderSpec {
  filter?: {
    keep?: string[];
    failed?: Record<string, string>;
    unresolvable?: Record<string, string>;
    error?: string;
    status?: number;
  };
  prioritize?: { scores?: Record<string, number>; error?: string; status?: number };
  preempt?: { keep?: string[]; error?: string; status?: number };
  bind?: { error?: string; status?: number };
  /** `lower`: field names in lower camel case. */
  spelling?: string;
}

/** A scheduler of a scenario. */
export interface SchedulerSpec {
  config?: Record<string, unknown> | string;
  as?: { user: string } | { serviceAccount: string };
  flags?: string[];
}

/** A start of a scheduler; `refused` has the text of its error. */
export interface SchedulerStart {
  scheduler: string;
  ready?: boolean;
  refused?: { code: number; message: string };
}

/** A request to the port of a scheduler. */
export interface HttpCheck {
  scheduler: string;
  path: string;
  as?: string;
  status: number;
  body?: string;
  contains?: string[];
}

interface Deletion {
  kind: string;
  namespace?: string;
  name: string;
  gracePeriodSeconds?: number;
}

interface Patch extends Deletion {
  subresource?: string;
  type?: 'merge' | 'json' | 'strategic';
  patch: unknown;
}

/** One step; exactly one field is set. */
export interface ScenarioStep {
  create?: ScenarioObject[];
  delete?: Deletion[];
  patch?: Patch;
  /** Deletes the terminating Pods, as their kubelet would. */
  kubelet?: 'all' | string[];
  sleep?: number;
  start?: string | SchedulerStart;
  stop?: string | { scheduler: string };
  http?: HttpCheck;
  expect?: Expectation;
}

/** A recorded scenario. */
export interface Scenario {
  name: string;
  about: string;
  /** Schedulers of the scenario; without them, one with the default profile runs. */
  schedulers?: Record<string, SchedulerSpec>;
  extenders?: Record<string, ExtenderSpec>;
  objects?: ScenarioObject[];
  steps: ScenarioStep[];
}

/** Reads a scenario. */
export function readScenario(path: string): Scenario {
  return loadYaml(readFileSync(path, 'utf8')) as Scenario;
}
