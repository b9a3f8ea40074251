/**
 * Applies a function to a value or to the value of a promise. Returns no promise if none is involved, so that
 * a request finishes in one turn.
 */
export const mapMaybePromise = <T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> => (value instanceof Promise ? value.then(next) : next(value));
