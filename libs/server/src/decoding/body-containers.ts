import type { Buffer } from 'node:buffer';
import { countContainers, type JsonValue, tooLarge } from '@annex/machinery';

/**
 * How many objects and lists one body may hold. kube-apiserver has no such limit; 3 MiB of `{},` are a million empty
 * containers of a Pod, which take ten seconds to default and validate. Objects that fit into the store have 50,000 at most.
 */
export const maxBodyContainers = 250_000;

/** An empty object, or the tag and length of an empty message. */
const leastBytes = 2;

/** Throws 413 for a parsed body that holds more objects and lists than are taken. Bodies that are too short for that cost nothing. */
export function requireFewContainers(value: JsonValue, body: Buffer): void {
  if (body.length < leastBytes * maxBodyContainers) return;
  if (countContainers(value, maxBodyContainers) <= maxBodyContainers) return;
  throw tooLarge(`Request entity too large: limit is ${maxBodyContainers} objects and lists`);
}
