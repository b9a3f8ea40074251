import { mapMaybePromise } from '@annex/runtime';
import {
  finishSoon,
  type JsonValue,
  limitExceededByText,
  limitExceededByValue,
  maxDepth,
  type StatusError,
  tooLarge,
} from '@annex/machinery';
import { pause } from '../large-objects.ts';

/**
 * The maximum number of objects and lists in one body. kube-apiserver has no such limit. 3 MiB of `{},` are a
 * million empty containers of a Pod, which take ten seconds to default and validate. Objects that fit into
 * the store have at most 50,000.
 */
export const maxBodyContainers = 100_000;

/**
 * The maximum number of members of one object in a body. kube-apiserver has no such limit. V8 lists the names of an object in one call, which
 * cannot be divided: at a load of 4 to 8, 75,000 take 18 ms and 99,000 take 26. Managed fields name each member again, so that an object that fits into the store
 * seldom has more.
 */
export const maxObjectMembers = 75_000;

/** Bodies from this length on are handled in slices: a pass over so many bytes of the smallest fields takes 2 to 5 ms. */
export const slicedBodyBytes = 64 * 1024;

const limits = { containers: maxBodyContainers, members: maxObjectMembers };

const names = {
  containers: `${maxBodyContainers} objects and lists`,
  members: `${maxObjectMembers} members of one object`,
};

const refusal = (exceeded: keyof typeof names): StatusError =>
  tooLarge(`Request entity too large: limit is ${names[exceeded]}`);

/** Checks a JSON text before it is parsed. Throws 413, and `SyntaxError` if it is nested too deeply. */
export function requireTextLimits(text: string): void {
  const exceeded = limitExceededByText(text, { depth: maxDepth, ...limits });
  if (exceeded === 'depth') throw new SyntaxError('exceeded max depth');
  if (exceeded !== undefined) throw refusal(exceeded);
}

/**
 * Throws 413 for a value of a body that is not JSON: aliases of YAML and empty messages of protobuf are short. Returns a promise for a large
 * value only.
 */
export const requireValueLimits = (value: JsonValue): void | Promise<void> =>
  mapMaybePromise(finishSoon(limitExceededByValue(value, limits), pause), (exceeded) => {
    if (exceeded !== undefined) throw refusal(exceeded);
  });
