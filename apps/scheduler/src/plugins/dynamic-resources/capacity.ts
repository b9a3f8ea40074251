import { getOwn, Quantity } from '@annex/machinery';
import type { Device, DeviceCapacity } from '../../objects/devices.ts';

/** Amounts of capacities by name. */
export type Capacities = ReadonlyMap<string, Quantity>;

/** Requested amounts by the name of the capacity, as in a claim. */
export type CapacityRequests = Readonly<Record<string, string>> | undefined;

/** Returns what a request takes of the capacities of a device: the requested amounts, rounded up by the policies of the device. */
export const consumedBy = (requests: CapacityRequests, { capacity = {} }: Device): Map<string, Quantity> =>
  new Map(
    Object.entries(capacity).map(([name, one]) => [name, amountTaken(getOwn(requests ?? {}, name), one)]),
  );

/** Returns whether a device has the requested capacities beside what others take, and its policies allow the amounts. */
export function hasCapacity(
  requests: CapacityRequests,
  device: Device,
  others: readonly (Capacities | undefined)[],
): boolean {
  const { capacity = {} } = device;
  if (Object.keys(requests ?? {}).some((name) => !Object.hasOwn(capacity, name))) return false;
  for (const [name, amount] of consumedBy(requests, device)) {
    const { value, requestPolicy } = getOwn(capacity, name) ?? { value: '0' };
    if (!isAllowed(amount, requestPolicy)) return false;
    const sum = others.reduce((all, one) => all.add(one?.get(name) ?? zero), amount);
    if (sum.compare(Quantity.parse(value)) > 0) return false;
  }
  return true;
}

const zero = Quantity.of(0);

/** Returns the sums of amounts, by name. */
export function addCapacities(sums: Capacities | undefined, more: Capacities): Map<string, Quantity> {
  const all = new Map(sums);
  for (const [name, amount] of more) all.set(name, all.get(name)?.add(amount) ?? amount);
  return all;
}

function amountTaken(
  requested: string | undefined,
  { value, requestPolicy: policy }: DeviceCapacity,
): Quantity {
  if (requested === undefined) return Quantity.parse(policy?.default ?? value);
  const amount = Quantity.parse(requested);
  const { validRange, validValues } = policy ?? {};
  if (validRange?.min !== undefined) return roundUp(amount, validRange.min, validRange.step);
  const next = validValues?.map((text) => Quantity.parse(text)).find((valid) => amount.compare(valid) <= 0);
  return next ?? amount;
}

/** Returns the next of `min`, `min + step`, `min + 2 * step`, … */
function roundUp(amount: Quantity, min: string, step: string | undefined): Quantity {
  const least = Quantity.parse(min);
  if (amount.compare(least) < 0) return least;
  if (step === undefined) return amount;
  const size = Quantity.parse(step).value();
  const above = amount.value() - least.value();
  const steps = above / size + (above % size === 0n ? 0n : 1n);
  return Quantity.of(least.value() + steps * size, 'BinarySI');
}

function isAllowed(amount: Quantity, policy: DeviceCapacity['requestPolicy']): boolean {
  if (policy === undefined) return true;
  const { validRange, validValues = [] } = policy;
  if (policy.default !== undefined && amount.compare(Quantity.parse(policy.default)) === 0) return true;
  if (validRange !== undefined) {
    const { min = '0', max, step } = validRange;
    if (max !== undefined && amount.compare(Quantity.parse(max)) > 0) return false;
    if (step === undefined) return true;
    return (amount.value() - Quantity.parse(min).value()) % Quantity.parse(step).value() === 0n;
  }
  return validValues.length === 0 || validValues.some((text) => amount.compare(Quantity.parse(text)) === 0);
}
