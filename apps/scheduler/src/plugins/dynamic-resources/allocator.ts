import type { ObjectStore } from '../../cache/object-store.ts';
import type {
  Allocation,
  ClaimDevices,
  DeviceClass,
  DeviceConstraint,
  DeviceRequestBody,
  DeviceSelector,
} from '../../objects/devices.ts';
import type { NodeSelector, NodeSelectorTerm } from '../../objects/pod.ts';
import { isTolerated } from '../../objects/tolerations.ts';
import type { NodeDevice } from './device-pools.ts';
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
  readonly #classes: ObjectStore<DeviceClass>;
  readonly #taken: Set<string>;
  readonly #claims: readonly ClaimDevices[];
  readonly #chosen: Chosen[][];
  readonly #wanted: readonly Wanted[];
  #steps = 0;

  constructor(
    devices: readonly NodeDevice[],
    classes: ObjectStore<DeviceClass>,
    taken: ReadonlySet<string>,
    claims: readonly ClaimDevices[],
  ) {
    this.#devices = devices;
    this.#classes = classes;
    this.#taken = new Set(taken);
    this.#claims = claims;
    this.#chosen = claims.map(() => []);
    this.#wanted = claims.flatMap(({ requests = [] }, claim) =>
      requests.map(({ name, exactly, firstAvailable = [] }) => ({
        claim,
        alternatives:
          exactly === undefined
            ? firstAvailable.map((body) => ({ name: `${name}/${body.name}`, request: name, body }))
            : [{ name, request: name, body: exactly }],
      })),
    );
  }

  /** Returns the allocation of each claim; `undefined` if the node cannot serve all of them. Throws an Error for selectors that fail. */
  allocate(): Allocation[] | undefined {
    return this.#serve(0)
      ? this.#chosen.map((chosen, i) => this.#allocation(chosen, this.#claims[i] ?? {}))
      : undefined;
  }

  #serve(index: number): boolean {
    const wanted = this.#wanted[index];
    if (wanted === undefined) return true;
    return wanted.alternatives.some((alternative) => {
      const matching = this.#devices.filter((device) => this.#matches(alternative.body, device));
      const isAll = alternative.body.allocationMode === 'All';
      const count = isAll ? matching.length : (alternative.body.count ?? 1);
      if (count === 0 || count > matching.length) return false;
      return this.#take(index, alternative, matching, 0, count);
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
    const isAdmin = alternative.body.adminAccess === true;
    for (let i = start; i <= devices.length - count; i++) {
      if (++this.#steps > maxAllocationSteps) return false;
      const device = devices[i];
      if (device === undefined || (!isAdmin && this.#taken.has(device.id))) continue;
      chosen.push({ alternative, device });
      if (!isAdmin) this.#taken.add(device.id);
      if (this.#fitsConstraints(claim) && this.#take(index, alternative, devices, i + 1, count - 1))
        return true;
      chosen.pop();
      if (!isAdmin) this.#taken.delete(device.id);
    }
    return false;
  }

  #matches(
    { deviceClassName = '', selectors = [], tolerations = [], adminAccess }: DeviceRequestBody,
    { driver, device }: NodeDevice,
  ): boolean {
    const isRepelled = (device.taints ?? []).some(
      (taint) =>
        (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !isTolerated(tolerations, taint),
    );
    if (isRepelled && adminAccess !== true) return false;
    const ofClass: readonly DeviceSelector[] = this.#classes.get(deviceClassName)?.spec.selectors ?? [];
    return matchesSelectors([...ofClass, ...selectors], driver, device);
  }

  #fitsConstraints(claim: number): boolean {
    const { constraints = [] } = this.#claims[claim] ?? {};
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
