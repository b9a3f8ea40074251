/** A table of constants that input indexes. A map inherits no rows, so `constructor` is no row of it. */
export const tableOf = <V>(rows: Readonly<Record<string, V>>): ReadonlyMap<string, V> =>
  new Map(Object.entries(rows));
