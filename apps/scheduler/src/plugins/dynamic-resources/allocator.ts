import { randomUUID } from 'node:crypto';
import type { Quantity } from '@annex/machinery';
import type { ObjectStore } from '../../cache/object-store.ts';
import type { FeatureGates } from '../../config/feature-gates.ts';
import type {
  Allocation,
  DeviceClass,
  DeviceRequest,
  DeviceRequestBody,
  ResourceClaim,
} from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { AllocatedState } from './allocated-state.ts';
import { allocationOf, type ChosenDevice } from './allocation.ts';
import { addCapacities, type Capacities, consumedBy, hasCapacity } from './capacity.ts';
import { type Constraint, constraintOf } from './constraints.ts';
import { CounterLedger } from './counters.ts';
import { type DevicePool, isForNode, type NodeDevice } from './device-pools.ts';
import { matchesSelectors } from './device-selector.ts';
import { toleratesDevice } from './device-taints.ts';
import {
  type Alternative,
  alternativesOf,
  claimText,
  type PlainAlternative,
  type Wanted,
  type WantedClaim,
} from './requested.ts';

/** Steps of the search for devices of one node. kube-scheduler limits its time. */
export const maxAllocationSteps = 100_000;

/** Devices in one allocation. Source: kube-apiserver. */
export const maxDevicesOfClaim = 32;

/** The search for devices did not end in its steps. */
export class AllocationTimeout extends Error {}

/** A node cannot serve the claims, because of the pools that it has. */
export class InvalidPools extends Error {}

/** What the search of all nodes has in common. */
export interface AllocatorDeps {
  readonly classes: ObjectStore<DeviceClass>;
  readonly allocated: AllocatedState;
  readonly features: FeatureGates;
}

/** `full` means that an allocation would have too many devices. */
type Outcome = boolean | 'full';

/** The position of the search: a device of a request of a claim. */
interface At {
  readonly claim: number;
  readonly request: number;
  readonly alternative: number;
  readonly device: number;
}

/**
 * Gives devices of one node to claims: the first solution of a search in all orders, request by request. The order of pools, slices and
 * devices, and what is evaluated until a solution is found, are those of kube-scheduler's allocator.
 */
export class Allocator {
  readonly #deps: AllocatorDeps;
  readonly #node: NodeInfo;
  readonly #pools: readonly DevicePool[];
  readonly #devices: readonly NodeDevice[];
  readonly #claims: WantedClaim[] = [];
  readonly #constraints: Constraint[][] = [];
  readonly #chosen: ChosenDevice[][] = [];
  readonly #selected: (Alternative | undefined)[][] = [];
  readonly #matches = new Map<DeviceRequestBody, Map<string, boolean>>();
  readonly #counters: CounterLedger;
  /** The claims that were given a device in this search, by the id of the device. */
  readonly #given = new Map<string, number[]>();
  /** What this search takes of shared devices. */
  readonly #consumed = new Map<string, Capacities>();
  #steps = 0;

  constructor(deps: AllocatorDeps, node: NodeInfo, pools: readonly DevicePool[]) {
    this.#deps = deps;
    this.#node = node;
    this.#pools = pools;
    this.#devices = pools.flatMap(({ devices }) => devices);
    this.#counters = new CounterLedger(deps.allocated);
  }

  /**
   * Returns the allocation of each claim; `undefined` if the node cannot serve all of them. Throws an Error for a selector that fails, and
   * for requests that no node can serve.
   */
  allocate(claims: readonly ResourceClaim[]): Allocation[] | undefined {
    for (const claim of claims) this.#prepare(claim);
    const outcome = this.#next({ claim: 0, request: 0, alternative: 0, device: 0 }, false, 0);
    if (outcome === 'full') throw new Error('allocation max size exceeded');
    if (outcome)
      return this.#claims.map((claim, i) =>
        allocationOf(claim, this.#chosen[i] ?? [], this.#selected[i] ?? [], this.#node.name),
      );
    if (this.#pools.some(({ isInvalid }) => isInvalid))
      throw new InvalidPools('invalid resource pools were encountered');
    return undefined;
  }

  #prepare(claim: ResourceClaim): void {
    const text = claimText(claim);
    const { requests = [], constraints = [] } = claim.spec.devices ?? {};
    const wanted = requests.map((request) => this.#wantedOf(text, request));
    const least = wanted.reduce(
      (sum, one) => sum + Math.min(...one.alternatives.map(({ count }) => count)),
      0,
    );
    if (least > maxDevicesOfClaim)
      throw new Error(
        `${text}: number of requested devices ${least} exceeds the claim limit of ${maxDevicesOfClaim}`,
      );
    this.#claims.push({ claim, text, requests: wanted });
    this.#constraints.push(constraints.map((one, i) => constraintOf(one, `${text}, constraint #${i}`)));
    this.#chosen.push([]);
    this.#selected.push(wanted.map(() => undefined));
  }

  #wantedOf(text: string, request: DeviceRequest): Wanted {
    const { features } = this.#deps;
    const hasChoice = request.exactly === undefined;
    if (hasChoice && !features.has('DRAPrioritizedList'))
      throw new Error(
        `${text}, request ${request.name}: has subrequests, but the DRAPrioritizedList feature is disabled`,
      );
    const alternatives = alternativesOf(request);
    for (const { ownName, body } of alternatives)
      if (body.capacity !== undefined && !features.has('DRAConsumableCapacity'))
        throw new Error(
          `${text}, ${hasChoice ? 'subrequest' : 'request'} ${ownName}: has capacity requests, but the DRAConsumableCapacity feature is disabled`,
        );
    return { alternatives: alternatives.map((one) => this.#alternativeOf(text, one)), hasChoice };
  }

  #alternativeOf(text: string, plain: PlainAlternative): Alternative {
    const { body, ownName } = plain;
    const { deviceClassName = '', allocationMode = 'ExactCount', count = 1 } = body;
    const deviceClass = this.#deps.classes.get(deviceClassName);
    if (deviceClass === undefined)
      throw new Error(
        `${text}, request ${ownName}: could not retrieve device class ${deviceClassName}: deviceclass.resource.k8s.io "${deviceClassName}" not found`,
      );
    if (allocationMode !== 'All') return { ...plain, deviceClass, all: undefined, count };
    const all = this.#allDevices(text, { ...plain, deviceClass, all: undefined, count });
    return { ...plain, deviceClass, all, count: all.length };
  }

  #allDevices(text: string, alternative: Alternative): NodeDevice[] {
    const found: NodeDevice[] = [];
    for (const { id, isIncomplete, isInvalid, devices } of this.#pools) {
      if (isIncomplete || isInvalid)
        throw new Error(
          `${text}, request ${alternative.ownName}: asks for all devices, but resource pool ${id} is currently ${isIncomplete ? 'being updated' : 'invalid'}`,
        );
      for (const device of devices)
        if (this.#isSelectable(text, alternative, device) && this.#hasRoom(alternative, device))
          found.push(device);
    }
    return found;
  }

  /** Serves what follows a position. `isChosen` is true while one alternative of several is tried. */
  #next(at: At, isChosen: boolean, start: number): Outcome {
    if (++this.#steps > maxAllocationSteps)
      throw new AllocationTimeout('timed out trying to allocate devices');
    const claim = this.#claims[at.claim];
    if (claim === undefined) return true;
    const wanted = claim.requests[at.request];
    if (wanted === undefined) {
      const outcome = this.#next({ claim: at.claim + 1, request: 0, alternative: 0, device: 0 }, false, 0);
      // Other alternatives before may need fewer devices.
      return outcome === 'full' ? false : outcome;
    }
    if (wanted.hasChoice && !isChosen) return this.#tryAlternatives(at, wanted);
    const alternative = wanted.alternatives[at.alternative];
    if (alternative === undefined) return false;
    const { all, count } = alternative;
    if (all?.length === 0) return false;
    if (at.device >= count) {
      this.#select(at, alternative);
      return this.#next({ claim: at.claim, request: at.request + 1, alternative: 0, device: 0 }, false, 0);
    }
    const taken = this.#chosen[at.claim]?.length ?? 0;
    if (taken + count - at.device > maxDevicesOfClaim) return 'full';
    return all === undefined
      ? this.#tryDevices(at, alternative, isChosen, start)
      : this.#takeOneOfAll(at, alternative, isChosen);
  }

  #select({ claim, request }: At, alternative: Alternative): void {
    const selected = this.#selected[claim];
    if (selected !== undefined) selected[request] = alternative;
  }

  #tryAlternatives(at: At, { alternatives }: Wanted): Outcome {
    let isAlwaysFull = true;
    for (const alternative of alternatives.keys()) {
      const outcome = this.#next({ ...at, alternative }, true, 0);
      if (outcome === true) return true;
      isAlwaysFull &&= outcome === 'full';
    }
    return isAlwaysFull ? 'full' : false;
  }

  #takeOneOfAll(at: At, alternative: Alternative, isChosen: boolean): Outcome {
    const device = alternative.all?.[at.device];
    const giveBack = device === undefined ? undefined : this.#take(at, alternative, device);
    if (giveBack === undefined) return false;
    const outcome = this.#next({ ...at, device: at.device + 1 }, isChosen, 0);
    if (outcome !== true) giveBack();
    return outcome;
  }

  /** The order of the devices of one request does not matter: the next one comes after `start`. */
  #tryDevices(at: At, alternative: Alternative, isChosen: boolean, start: number): Outcome {
    const text = this.#claims[at.claim]?.text ?? '';
    for (let i = start; i < this.#devices.length; i++) {
      const device = this.#devices[i];
      if (device === undefined || this.#isInUse(at, alternative, device)) continue;
      if (!this.#isSelectable(text, alternative, device) || !this.#hasRoom(alternative, device)) continue;
      const giveBack = this.#take(at, alternative, device);
      if (giveBack === undefined) continue;
      const outcome = this.#next({ ...at, device: at.device + 1 }, isChosen, i + 1);
      if (outcome === true) return true;
      giveBack();
      if (outcome === 'full') return 'full';
    }
    return false;
  }

  #isInUse({ claim }: At, { body }: Alternative, { id }: NodeDevice): boolean {
    const given = this.#given.get(id) ?? [];
    if (body.adminAccess === true) return given.includes(claim);
    return this.#deps.allocated.devices.has(id) || given.length > 0;
  }

  /** Evaluates the selectors of the class, then those of the request, once for each device. */
  #isSelectable(
    text: string,
    { body, deviceClass }: Alternative,
    { driver, device, id, slice }: NodeDevice,
  ): boolean {
    if (!this.#hasBindingConditions && (device.bindingConditions ?? []).length > 0) return false;
    const known = this.#matches.get(body) ?? new Map<string, boolean>();
    this.#matches.set(body, known);
    const found = known.get(id);
    if (found !== undefined) return found;
    const { metadata, spec } = deviceClass;
    const isSelectable =
      matchesSelectors(spec.selectors ?? [], driver, device, `class ${metadata.name}`) &&
      matchesSelectors(body.selectors ?? [], driver, device, text) &&
      (!slice.spec.perDeviceNodeSelection || isForNode(device, this.#node));
    known.set(id, isSelectable);
    return isSelectable;
  }

  get #hasBindingConditions(): boolean {
    const { features } = this.#deps;
    return features.has('DRADeviceBindingConditions') && features.has('DRAResourceClaimDeviceStatus');
  }

  #hasRoom({ body }: Alternative, { device, id }: NodeDevice): boolean {
    if (!this.#deps.features.has('DRAConsumableCapacity')) return true;
    const others = [this.#deps.allocated.capacities.get(id), this.#consumed.get(id)];
    return hasCapacity(body.capacity?.requests, device, others);
  }

  /** Takes a device. Returns what gives it back, or `undefined` if it cannot be used. */
  #take(at: At, alternative: Alternative, device: NodeDevice): (() => void) | undefined {
    const { features } = this.#deps;
    if (!this.#mayTake(at, alternative, device)) return undefined;
    const undo: (() => void)[] = [];
    const giveBack = () => undo.toReversed().forEach((step) => step());
    const isShared = features.has('DRAConsumableCapacity') && device.device.allowMultipleAllocations === true;
    const isTaken =
      this.#takeCounters(device, isShared, undo) &&
      (!features.has('DRADeviceTaints') || toleratesDevice(alternative.body, device.device)) &&
      this.#takeConstraints(at, alternative, device, undo, giveBack) &&
      this.#hasRoom(alternative, device);
    if (!isTaken) {
      giveBack();
      return undefined;
    }
    const consumed = isShared ? consumedBy(alternative.body.capacity?.requests, device.device) : new Map();
    if (isShared) this.#consume(device.id, consumed, undo);
    else this.#give(device.id, at.claim, undo);
    const chosen = this.#chosen[at.claim];
    chosen?.push({ alternative, device, shareID: isShared ? randomUUID() : undefined, consumed });
    undo.push(() => void chosen?.pop());
    return giveBack;
  }

  #mayTake(at: At, alternative: Alternative, device: NodeDevice): boolean {
    if (this.#isInUse(at, alternative, device)) return false;
    const { features } = this.#deps;
    return features.has('DRAPartitionableDevices') || (device.device.consumesCounters ?? []).length === 0;
  }

  #takeCounters(device: NodeDevice, isShared: boolean, undo: (() => void)[]): boolean {
    if ((device.device.consumesCounters ?? []).length === 0) return true;
    // Who shares a device shares its counters.
    const isCounted = this.#deps.allocated.capacities.has(device.id) || this.#consumed.has(device.id);
    if (isShared && isCounted) return true;
    if (!this.#counters.take(device)) return false;
    undo.push(() => this.#counters.giveBack(device));
    return true;
  }

  #takeConstraints(
    at: At,
    alternative: Alternative,
    device: NodeDevice,
    undo: (() => void)[],
    giveBack: () => void,
  ): boolean {
    for (const constraint of this.#constraints[at.claim] ?? []) {
      if (constraint.add(alternative, device)) {
        undo.push(() => constraint.remove(alternative));
        continue;
      }
      if (alternative.all === undefined) return false;
      giveBack();
      throw new Error(
        `${this.#claims[at.claim]?.text}, request ${alternative.ownName}: cannot add device ${device.id} because a claim constraint would not be satisfied`,
      );
    }
    return true;
  }

  #give(id: string, claim: number, undo: (() => void)[]): void {
    const given = this.#given.get(id) ?? [];
    this.#given.set(id, [...given, claim]);
    undo.push(() => this.#given.set(id, given));
  }

  #consume(id: string, consumed: ReadonlyMap<string, Quantity>, undo: (() => void)[]): void {
    const before = this.#consumed.get(id);
    this.#consumed.set(id, addCapacities(before, consumed));
    undo.push(() => void (before === undefined ? this.#consumed.delete(id) : this.#consumed.set(id, before)));
  }
}
