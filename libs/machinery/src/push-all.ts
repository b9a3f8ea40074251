/**
 * Appends all items to a list. `list.push(...items)` passes each item as an argument on the stack: more than
 * about 100,000 items, such as the errors of a large body, throw a `RangeError`.
 */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
