import { finishInSlices, type Passes } from '@annex/machinery';
import { type KnownObject, pause } from '@annex/server';

/** Returns a function that makes a value of a stored object once. */
function once<T extends object>(make: (stored: KnownObject) => T): (stored: KnownObject) => T {
  const made = new WeakMap<KnownObject, T>();
  return (stored) => {
    let value = made.get(stored);
    if (value === undefined) made.set(stored, (value = make(stored)));
    return value;
  };
}

/** The same: the function returns a promise while the value is made in slices, and the value afterwards. */
export function onceInSlices<T extends object>(
  make: (stored: KnownObject) => Passes<T>,
): (stored: KnownObject) => T | Promise<T> {
  const made = new WeakMap<KnownObject, T>();
  const begin = once((stored) =>
    finishInSlices(make(stored), pause).then((value) => {
      made.set(stored, value);
      return value;
    }),
  );
  return (stored) => made.get(stored) ?? begin(stored);
}
