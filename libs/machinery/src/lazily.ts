/** Computes a value once, at the first call. */
export function lazily<T>(compute: () => T): () => T {
  let held: { value: T } | undefined;
  return () => (held ??= { value: compute() }).value;
}
