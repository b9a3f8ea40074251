import type { ObjectStore } from '../../cache/object-store.ts';
import type {
  Allocation,
  ClaimDevices,
  DeviceClass,
  DeviceConstraint,
  DeviceRequestBody,
  ResourceClaim,
} from '../../objects/devices.ts';
import type { NodeSelector, NodeSelectorTerm } from '../../objects/pod.ts';
import { isTolerated } from '../../objects/tolerations.ts';
import type { NodeDevice, NodeDevices } from './device-pools.ts';
import { attributeOf, matchesSelectors } from './device-selector.ts';

/** Steps of the search for devices of one node; then the node counts as unable. */
export const maxAllocationSteps = 100_000;

interface Alternative {
  /** `request`, or `request/subrequest`. */
  readonly name: string;
  readonly request: string;
  readonly body: DeviceRequestBody;
}

interface Chosen {
  readonly alternative: Alternative;
  readonly device: NodeDevice;
}

/** One request of a claim with its alternatives. */
interface Wanted {
  readonly claim: number;
  readonly alternatives: readonly Alternative[];
}

/** Gives devices to the claims of a Pod on one node. */
export class Allocator {
  readonly #devices: readonly NodeDevice[];
  readonly #incompletePool: string | undefined;
  readonly #classes: ObjectStore<DeviceClass>;
  readonly #taken: Set<string>;
  readonly #claims: readonly ResourceClaim[];
  readonly #selected = new Map<DeviceRequestBody, Map<string, boolean>>();
  readonly #chosen: Chosen[][];
  readonly #wanted: readonly Wanted[];
  #steps = 0;

  constructor(
    { devices, incompletePool }: NodeDevices,
    classes: ObjectStore<DeviceClass>,
    taken: ReadonlySet<string>,
    claims: readonly ResourceClaim[],
  ) {
    this.#devices = devices;
    this.#incompletePool = incompletePool;
    this.#classes = classes;
    this.#taken = new Set(taken);
    this.#claims = claims;
    this.#chosen = claims.map(() => []);
    this.#wanted = claims.flatMap(({ spec }, claim) =>
      (spec.devices?.requests ?? []).map(({ name, exactly, firstAvailable = [] }) => ({
        claim,
        alternatives:
          exactly === undefined
            ? firstAvailable.map((body) => ({ name: `${name}/${body.name}`, request: name, body }))
            : [{ name, request: name, body: exactly }],
      })),
    );
  }

  /**
   * Returns the allocation of each claim; `undefined` if the node cannot serve all of them. As in kube-scheduler, selectors are evaluated for
   * the devices in order until there are enough. Throws an Error for a selector that fails, and for requests of all devices that no node can
   * serve.
   */
  allocate(): Allocation[] | undefined {
    for (const { claim, alternatives } of this.#wanted)
      for (const alternative of alternatives)
        if (alternative.body.allocationMode === 'All') this.#requireAll(claim, alternative);
    return this.#serve(0)
      ? this.#chosen.map((chosen, i) => this.#allocation(chosen, this.#claims[i]?.spec.devices ?? {}))
      : undefined;
  }

  #requireAll(claim: number, alternative: Alternative): void {
    if (this.#incompletePool !== undefined)
      throw new Error(
        `${this.#text(claim, alternative)}: asks for all devices, but resource pool ${this.#incompletePool} is currently being updated`,
      );
    for (const device of this.#devices) this.#isSelected(claim, alternative.body, device);
  }

  /** A claim and a request, or a subrequest by its own name, as in kube-scheduler's errors. */
  #text(claim: number, { name }: Alternative): string {
    return `${this.#nameOf(claim)}, request ${name.slice(name.indexOf('/') + 1)}`;
  }

  #nameOf(claim: number): string {
    const { namespace, name } = this.#claims[claim]?.metadata ?? {};
    return `claim ${namespace}/${name}`;
  }

  #serve(index: number): boolean {
    const wanted = this.#wanted[index];
    if (wanted === undefined) return true;
    return wanted.alternatives.some((alternative) => {
      const { body } = alternative;
      if (body.allocationMode !== 'All')
        return this.#take(index, alternative, this.#devices, 0, body.count ?? 1);
      const all = this.#devices.filter((one) => this.#isSelected(wanted.claim, body, one));
      return all.length > 0 && this.#take(index, alternative, all, 0, all.length);
    });
  }

  /** Takes `count` of the devices from `start` on, then serves the next request; gives them back if that fails. */
  #take(
    index: number,
    alternative: Alternative,
    devices: readonly NodeDevice[],
    start: number,
    count: number,
  ): boolean {
    if (count === 0) return this.#serve(index + 1);
    const claim = this.#wanted[index]?.claim ?? 0;
    const chosen = this.#chosen[claim];
    if (chosen === undefined) return false;
    const { body } = alternative;
    const isAdmin = body.adminAccess === true;
    const isFree = (device: NodeDevice) => isAdmin || !this.#taken.has(device.id);
    for (let i = start; i < devices.length; i++) {
      const device = devices[i];
      if (device === undefined || !isFree(device)) continue;
      // Too few are left, but an error of a selector counts.
      if (!this.#isSelected(claim, body, device) || i > devices.length - count) continue;
      if (++this.#steps > maxAllocationSteps) return false;
      if (isRepelled(body, device)) continue;
      chosen.push({ alternative, device });
      if (!isAdmin) this.#taken.add(device.id);
      const fits = this.#fitsConstraints(claim);
      if (fits && this.#take(index, alternative, devices, i + 1, count - 1)) return true;
      chosen.pop();
      if (!isAdmin) this.#taken.delete(device.id);
      if (!fits && body.allocationMode === 'All')
        throw new Error(
          `${this.#text(claim, alternative)}: cannot add device ${device.id} because a claim constraint would not be satisfied`,
        );
    }
    return false;
  }

  /** Evaluates the selectors of the class, then those of the request, once for each device. */
  #isSelected(claim: number, body: DeviceRequestBody, { driver, device, id }: NodeDevice): boolean {
    const known = this.#selected.get(body) ?? new Map<string, boolean>();
    this.#selected.set(body, known);
    const found = known.get(id);
    if (found !== undefined) return found;
    const { deviceClassName = '', selectors = [] } = body;
    const ofClass = this.#classes.get(deviceClassName)?.spec.selectors ?? [];
    const isSelected =
      matchesSelectors(ofClass, driver, device, `class ${deviceClassName}`) &&
      matchesSelectors(selectors, driver, device, this.#nameOf(claim));
    known.set(id, isSelected);
    return isSelected;
  }

  #fitsConstraints(claim: number): boolean {
    const { constraints = [] } = this.#claims[claim]?.spec.devices ?? {};
    const chosen = this.#chosen[claim] ?? [];
    return constraints.every((constraint) => isFulfilled(constraint, chosen));
  }

  #allocation(chosen: readonly Chosen[], { config = [] }: ClaimDevices): Allocation {
    const results = chosen.map(({ alternative: { name, body }, device: { driver, pool, device } }) => ({
      request: name,
      driver,
      pool,
      device: device.name,
      ...(body.adminAccess === true ? { adminAccess: true } : {}),
      ...(body.tolerations === undefined ? {} : { tolerations: body.tolerations }),
    }));
    const configs = [
      ...this.#classConfigs(chosen),
      ...config.map((one) => ({ source: 'FromClaim', ...one })),
    ];
    const nodeSelector = commonNodes(chosen);
    return {
      devices: { results, ...(configs.length === 0 ? {} : { config: configs }) },
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
    };
  }

  *#classConfigs(chosen: readonly Chosen[]): Generator<object> {
    const seen = new Set<string>();
    for (const { alternative } of chosen) {
      if (seen.has(alternative.name)) continue;
      seen.add(alternative.name);
      for (const one of this.#classes.get(alternative.body.deviceClassName ?? '')?.spec.config ?? [])
        yield { source: 'FromClass', requests: [alternative.name], ...one };
    }
  }
}

/** Returns whether a device has a taint that the request does not tolerate. */
const isRepelled = ({ tolerations = [], adminAccess }: DeviceRequestBody, { device }: NodeDevice): boolean =>
  adminAccess !== true &&
  (device.taints ?? []).some(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isTolerated(tolerations, taint),
  );

function isFulfilled(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  chosen: readonly Chosen[],
): boolean {
  const isMeant = ({ alternative: { name, request } }: Chosen) =>
    requests.length === 0 || requests.includes(name) || requests.includes(request);
  const meant = chosen.filter(isMeant);
  const name = matchAttribute ?? distinctAttribute;
  if (name === undefined) return true;
  const values = meant.map(({ device }) => attributeOf(name, device.driver, device.device));
  if (values.includes(undefined)) return false;
  const different = new Set(values).size;
  return matchAttribute === undefined ? different === values.length : different <= 1;
}

/** Returns the nodes that can use all devices. */
function commonNodes(chosen: readonly Chosen[]): NodeSelector | undefined {
  const selectors = chosen.flatMap(({ device: { nodes } }) => nodes ?? []);
  const [first, ...others] = selectors;
  if (first === undefined) return undefined;
  const isSame = others.every((one) => JSON.stringify(one) === JSON.stringify(first));
  const named = selectors.find(({ nodeSelectorTerms = [] }) =>
    nodeSelectorTerms.some((term) => term.matchFields !== undefined),
  );
  if (isSame) return first;
  if (named !== undefined) return named;
  // All selectors must match: their terms are joined.
  const joined: NodeSelectorTerm = {
    matchExpressions: selectors.flatMap(
      ({ nodeSelectorTerms = [] }) => nodeSelectorTerms[0]?.matchExpressions ?? [],
    ),
  };
  return { nodeSelectorTerms: [joined] };
}
