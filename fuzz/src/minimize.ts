/**
 * Returns a shorter input with the same finding. Removes parts, long ones first, while `hasFinding` stays true. Ends after `budgetMs` with
 * the shortest input so far. Keeps parts that are shorter than `minPart` bytes.
 */
export async function minimized(
  input: Uint8Array,
  hasFinding: (candidate: Uint8Array) => Promise<boolean>,
  budgetMs: number,
  minPart = 1,
): Promise<Uint8Array> {
  const endBy = performance.now() + budgetMs;
  let shortest = input;
  for (let length = shortest.length >> 1; length >= minPart; length >>= 1) {
    for (let at = 0; at < shortest.length;) {
      if (performance.now() > endBy) return shortest;
      const candidate = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + length)]);
      if (await hasFinding(candidate)) shortest = candidate;
      else at += length;
    }
  }
  return shortest;
}
