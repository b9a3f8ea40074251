import { Quantity } from '@annex/machinery';
import { type Container, isSidecar, type Pod } from './pod.ts';

/** Amounts by the name of the resource: CPU in thousandths, other resources in their unit. Rounded up. */
export type Amounts = ReadonlyMap<string, number>;

type Quantities = Readonly<Record<string, string>>;

/** Returns the amounts of a list. Invalid quantities, which an API server does not store, are 0. */
export const amountsOf = (list: Quantities = {}): Amounts =>
  new Map(Object.entries(list).map(([name, text]) => [name, amountOf(name, text)]));

function amountOf(resource: string, text: string): number {
  try {
    return Number(Quantity.parse(text).scaledValue(resource === 'cpu' ? -3 : 0));
  } catch {
    return 0;
  }
}

/**
 * Returns what a Pod requests of its node: containers and sidecars together, or the largest init container with the sidecars before it; the
 * requests of the Pod itself replace both. Source: KEP-753, KEP-2837.
 */
export function podRequests({ spec }: Pod): Amounts {
  let running = total(spec.containers.map(requestsOf));
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (isSidecar(container)) {
      running = total([running, own]);
      sidecars = total([sidecars, own]);
    }
    starting = largest(starting, isSidecar(container) ? sidecars : total([sidecars, own]));
  }
  const ofPod = amountsOf(spec.resources?.requests);
  return total([new Map([...largest(running, starting), ...ofPod]), amountsOf(spec.overhead)]);
}

const requestsOf = ({ resources }: Container): Amounts => amountsOf(resources?.requests);

/** Returns the sums. */
export function total(lists: Iterable<Amounts>): Amounts {
  const sums = new Map<string, number>();
  for (const list of lists) for (const [name, amount] of list) sums.set(name, (sums.get(name) ?? 0) + amount);
  return sums;
}

function largest(one: Amounts, other: Amounts): Amounts {
  const found = new Map(one);
  for (const [name, amount] of other) found.set(name, Math.max(amount, found.get(name) ?? 0));
  return found;
}
