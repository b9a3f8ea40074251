import type { Buffer } from 'node:buffer';
import { countContainers, type JsonValue, tooLarge } from '@annex/machinery';

/**
 * The maximum number of objects and lists in one body. kube-apiserver has no such limit. 3 MiB of `{},` are a
 * million empty containers of a Pod, which take ten seconds to default and validate. Objects that fit into
 * the store have at most 50,000.
 */
export const maxBodyContainers = 250_000;

/** Bytes of an empty object, or of the tag and length of an empty message. */
const emptyContainerBytes = 2;

/**
 * Throws 413 if a parsed body has more objects and lists than the limit. Does not visit bodies that are too
 * short for that.
 */
export function requireContainerLimit(value: JsonValue, body: Buffer): void {
  if (body.length < emptyContainerBytes * maxBodyContainers) return;
  if (countContainers(value, maxBodyContainers) <= maxBodyContainers) return;
  throw tooLarge(`Request entity too large: limit is ${maxBodyContainers} objects and lists`);
}
