/** Returns a function that tells whether it was called with the same value before. It takes constant time: values come from bodies. */
export function repetitions(): (value: unknown) => boolean {
  const seen = new Set<unknown>();
  return (value) => seen.size === seen.add(value).size;
}
