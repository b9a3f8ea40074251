/** A table of constants with untrusted keys. A map has no inherited rows, so `constructor` is not a row. */
export const tableOf = <V>(rows: Readonly<Record<string, V>>): ReadonlyMap<string, V> =>
  new Map(Object.entries(rows));
