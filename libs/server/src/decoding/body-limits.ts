import { mapMaybePromise } from '@annex/runtime';
import {
  finishSoon,
  type JsonLimits,
  type JsonValue,
  limitExceededByText,
  limitExceededByTextInPasses,
  limitExceededByValue,
  maxDepth,
  maxObjectMembers,
  type Passes,
  tooLarge,
  tooManyMembers,
} from '@annex/machinery';
import { pause } from '../large-objects.ts';

/**
 * The maximum number of objects and lists in one body. kube-apiserver has no such limit. 3 MiB of `{},` are a
 * million empty containers of a Pod, which take ten seconds to default and validate. Objects that fit into
 * the store have at most 50,000.
 */
export const maxBodyContainers = 100_000;

/** Bodies from this length on are handled in slices: a pass over so many bytes of the smallest fields takes 2 to 5 ms. */
export const slicedBodyBytes = 64 * 1024;

const limits = { containers: maxBodyContainers, members: maxObjectMembers };

const refusals = {
  containers: () => tooLarge(`Request entity too large: limit is ${maxBodyContainers} objects and lists`),
  members: tooManyMembers,
};

const textLimits = { depth: maxDepth, ...limits };

/** Returns whether a text that looks like JSON exceeds a limit, in passes. */
export function* exceedsLimits(text: string): Passes<boolean> {
  return (yield* limitExceededByTextInPasses(text, textLimits)) !== undefined;
}

/** Checks a JSON text before it is parsed. Throws 413, and `SyntaxError` if it is nested too deeply. */
export const requireTextLimits = (text: string): void => refuse(limitExceededByText(text, textLimits));

/** The same for a large text, in passes. */
export function* requireTextLimitsInPasses(text: string): Passes<void> {
  refuse(yield* limitExceededByTextInPasses(text, textLimits));
}

function refuse(exceeded: keyof JsonLimits | undefined): void {
  if (exceeded === 'depth') throw new SyntaxError('exceeded max depth');
  if (exceeded !== undefined) throw refusals[exceeded]();
}

/** Throws 413 for a value of a body of protobuf, whose empty messages are short. Returns a promise for a large value only. */
export const requireValueLimits = (value: JsonValue): void | Promise<void> =>
  mapMaybePromise(finishSoon(limitExceededByValue(value, limits), pause), (exceeded) => {
    if (exceeded !== undefined) throw refusals[exceeded]();
  });
