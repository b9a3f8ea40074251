import { Status } from './status.ts';
import type { Plugin } from './plugin.ts';

/** The functions of a plugin. */
export type PluginFunction = Exclude<keyof Plugin, 'name' | 'events' | 'timeoutMs'>;

/** What happens when a function throws an error, or returns something else than it should. */
export type Consequence =
  /** The cycle of the Pod fails. */
  | 'fail'
  /** The Pod is refused with the error as its reason. */
  | 'refuse'
  /** The error is logged only. */
  | 'log';

/** The results that a function may have. */
export interface ResultRule {
  accepts(result: unknown): boolean;
  /** What the function should return, for errors. */
  expected: string;
  consequence: Consequence;
  isAsync?: true;
}

const isNothing = (result: unknown): boolean => result === undefined;
const isStatus = (result: unknown): boolean => result === undefined || result instanceof Status;
const isObject = (result: unknown): result is Record<string, unknown> =>
  typeof result === 'object' && result !== null;
const anything = (): boolean => true;

/** Milliseconds that a permit plugin can delay a binding. Source: kube-scheduler. */
export const maxPermitWaitMs = 15 * 60_000;

const isPermission = (result: unknown): boolean => {
  if (result === undefined) return true;
  if (!isObject(result) || !isStatus(result.status)) return false;
  const { waitMs } = result;
  return waitMs === undefined || (typeof waitMs === 'number' && waitMs >= 0 && waitMs <= maxPermitWaitMs);
};

const isPostFilterResult = (result: unknown): boolean =>
  isNothing(result) ||
  (isObject(result) &&
    isStatus(result.status) &&
    (result.nominatedNode === undefined || typeof result.nominatedNode === 'string'));

const statusOnly = { accepts: isStatus, expected: 'nothing or a Status' } as const;
const unused = { accepts: anything, expected: 'nothing' } as const;

/** The rule of each function. */
export const resultRules: Readonly<Record<PluginFunction, ResultRule>> = {
  preEnqueue: { ...statusOnly, consequence: 'refuse' },
  less: { accepts: (result) => typeof result === 'boolean', expected: 'a boolean', consequence: 'log' },
  preFilter: {
    accepts: (result) =>
      isStatus(result) || result === 'skip' || (isObject(result) && result.nodes instanceof Set),
    expected: "nothing, 'skip', a Status, or { nodes: Set }",
    consequence: 'fail',
  },
  addPod: { ...unused, consequence: 'fail' },
  removePod: { ...unused, consequence: 'fail' },
  filter: { ...statusOnly, consequence: 'fail' },
  postFilter: {
    accepts: isPostFilterResult,
    expected: 'nothing or { status, nominatedNode }',
    consequence: 'fail',
    isAsync: true,
  },
  preScore: {
    accepts: (result) => isStatus(result) || result === 'skip',
    expected: "nothing, 'skip' or a Status",
    consequence: 'fail',
  },
  score: { accepts: (result) => typeof result === 'number', expected: 'a number', consequence: 'fail' },
  normalize: { ...unused, consequence: 'fail' },
  reserve: { ...statusOnly, consequence: 'refuse' },
  unreserve: { ...unused, consequence: 'log' },
  permit: {
    accepts: isPermission,
    expected: 'nothing or { status, waitMs }, with at most 15 minutes',
    consequence: 'refuse',
  },
  preBindPreFlight: {
    accepts: (result) => result === undefined || result === 'skip',
    expected: "nothing or 'skip'",
    consequence: 'fail',
  },
  preBind: { ...statusOnly, consequence: 'refuse', isAsync: true },
  bind: {
    accepts: (result) => isStatus(result) || result === 'skip',
    expected: "nothing, 'skip' or a Status",
    consequence: 'refuse',
    isAsync: true,
  },
  postBind: { ...unused, consequence: 'log' },
};
