import { isObject, type JsonObject, Quantity } from '@annex/machinery';

/** Amounts by the name of a resource. */
export type ResourceList = ReadonlyMap<string, Quantity>;

const zero = Quantity.of(0);

/** Reads validated amounts; ignores everything else. */
export const resourceList = (value: unknown): Map<string, Quantity> =>
  new Map(
    isObject(value)
      ? Object.entries(value).map(([name, amount]) => [name, Quantity.parse(String(amount))])
      : [],
  );

/** Returns the amounts in the form of the API. */
export const asAmounts = (list: ResourceList): JsonObject =>
  Object.fromEntries([...list].map(([name, amount]) => [name, amount.toString()]));

/** Returns the sum by name. */
export function add(a: ResourceList, b: ResourceList): Map<string, Quantity> {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, sum.get(name)?.add(amount) ?? amount);
  return sum;
}

/** Returns the difference by name, at least zero. */
export function subtractToZero(a: ResourceList, b: ResourceList): Map<string, Quantity> {
  const rest = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const difference = amount.sub(b.get(name) ?? zero);
    rest.set(name, difference.sign > 0 ? difference : zero);
  }
  for (const name of b.keys()) if (!rest.has(name)) rest.set(name, zero);
  return rest;
}

/** Returns the larger amount by name. */
export function larger(a: ResourceList, b: ResourceList): Map<string, Quantity> {
  const most = new Map(a);
  for (const [name, amount] of b) {
    const known = most.get(name);
    if (known === undefined || amount.compare(known) > 0) most.set(name, amount);
  }
  return most;
}

/** Returns the amounts whose name satisfies the predicate. */
export const pick = (list: ResourceList, takes: (name: string) => boolean): Map<string, Quantity> =>
  new Map([...list].filter(([name]) => takes(name)));

export const withoutZeros = (list: ResourceList): Map<string, Quantity> =>
  new Map([...list].filter(([, amount]) => amount.sign !== 0));

/** Returns whether both have the same names and equal amounts. */
export const sameAmounts = (a: ResourceList, b: ResourceList): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name)?.compare(amount) === 0);

/** Formats names as in kube-apiserver's messages. */
export const namesText = (names: Iterable<string>): string => [...names].sort().join(',');

/** Formats amounts as in kube-apiserver's messages: `cpu=1,pods=2`. */
export const amountsText = (list: ResourceList): string =>
  [...list.keys()]
    .sort()
    .map((name) => `${name}=${list.get(name)?.toString()}`)
    .join(',');
