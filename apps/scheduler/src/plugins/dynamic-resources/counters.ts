import { Quantity } from '@annex/machinery';
import type { Device } from '../../objects/devices.ts';
import type { AllocatedState } from './allocated-state.ts';
import { deviceId, type DevicePool, type NodeDevice } from './device-pools.ts';

type Amounts = Map<string, Quantity>;
const keyOf = (counterSet: string, counter: string): string => `${counterSet}/${counter}`;

/** The shared counters of pools: what devices that are partitions of others leave. */
export class CounterLedger {
  readonly #allocated: AllocatedState;
  /** By the id of the pool, then by counter. */
  readonly #available = new Map<string, Amounts>();

  constructor(allocated: AllocatedState) {
    this.#allocated = allocated;
  }

  /** Takes what a device consumes. Returns false, without a change, if a counter of its pool is too low. */
  take({ pool, device }: NodeDevice): boolean {
    const available = this.#availableOf(pool);
    subtract(available, device);
    if ([...available.values()].every((amount) => amount.sign >= 0)) return true;
    subtract(available, device, -1);
    return false;
  }

  giveBack({ pool, device }: NodeDevice): void {
    subtract(this.#availableOf(pool), device, -1);
  }

  #availableOf(pool: DevicePool): Amounts {
    const known = this.#available.get(pool.id);
    if (known !== undefined) return known;
    const amounts: Amounts = new Map();
    for (const [set, counters] of pool.counterSets)
      for (const [name, { value }] of Object.entries(counters))
        amounts.set(keyOf(set, name), Quantity.parse(value));
    for (const { spec } of pool.slices)
      for (const device of spec.devices ?? [])
        if (this.#allocated.isAllocated(deviceId(spec.driver, pool.name, device.name)))
          subtract(amounts, device);
    this.#available.set(pool.id, amounts);
    return amounts;
  }
}

function subtract(amounts: Amounts, { consumesCounters = [] }: Device, sign: 1 | -1 = 1): void {
  for (const { counterSet, counters } of consumesCounters)
    for (const [name, { value }] of Object.entries(counters)) {
      const key = keyOf(counterSet, name);
      const amount = amounts.get(key);
      if (amount === undefined) continue;
      const taken = Quantity.parse(value);
      amounts.set(key, sign === 1 ? amount.sub(taken) : amount.add(taken));
    }
}
