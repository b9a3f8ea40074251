/** What comes of a value: at once where the value is here, else when it is. Without a promise a request is answered in one go. */
export const atOnce = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
