import { Quantity } from '@annex/machinery';
import type { Allocation } from '../../objects/devices.ts';
import { addCapacities, type Capacities } from './capacity.ts';
import { deviceId } from './device-pools.ts';

/** The devices that are given to claims. */
export class AllocatedState {
  /** Devices that one claim has. */
  readonly devices = new Set<string>();
  /** Devices that claims share. */
  readonly shared = new Set<string>();
  /** What claims take of the capacities of shared devices. */
  readonly capacities = new Map<string, Capacities>();
  readonly #sharing: boolean;

  /** `sharing` turns consumable capacity on: without it, a device has one claim. */
  constructor(sharing = true) {
    this.#sharing = sharing;
  }

  /** Devices with admin access are not taken from others. */
  add({ devices }: Allocation): void {
    for (const result of devices?.results ?? []) {
      const { driver, pool, device, adminAccess, shareID, consumedCapacity } = result;
      if (adminAccess === true) continue;
      const id = deviceId(driver, pool, device);
      if (shareID === undefined || !this.#sharing) {
        this.devices.add(id);
        continue;
      }
      this.shared.add(id);
      if (consumedCapacity === undefined) continue;
      const amounts = Object.entries(consumedCapacity).map(
        ([name, text]) => [name, Quantity.parse(text)] as const,
      );
      this.capacities.set(id, addCapacities(this.capacities.get(id), new Map(amounts)));
    }
  }

  isAllocated(id: string): boolean {
    return this.devices.has(id) || this.shared.has(id);
  }
}
