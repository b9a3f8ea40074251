import type { Quantity } from '@annex/machinery';
import type { Allocation, DeviceResult } from '../../objects/devices.ts';
import type { NodeSelector, NodeSelectorRequirement } from '../../objects/pod.ts';
import type { NodeDevice } from './device-pools.ts';
import type { Alternative, WantedClaim } from './requested.ts';

/** A device that was chosen for a claim. */
export interface ChosenDevice {
  readonly alternative: Alternative;
  readonly device: NodeDevice;
  /** Set for a device that claims share. */
  readonly shareID: string | undefined;
  readonly consumed: ReadonlyMap<string, Quantity>;
}

/** Returns the allocation of a claim on a node, as it is written to the status of the claim. */
export function allocationOf(
  claim: WantedClaim,
  chosen: readonly ChosenDevice[],
  selected: readonly (Alternative | undefined)[],
  node: string,
): Allocation {
  const config = configsOf(claim, selected);
  const nodeSelector = nodesOf(chosen, node);
  return {
    devices: { results: chosen.map(resultOf), ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
}

function resultOf({
  alternative,
  device: { driver, pool, device },
  shareID,
  consumed,
}: ChosenDevice): DeviceResult {
  const { tolerations, adminAccess } = alternative.body;
  const { bindingConditions, bindingFailureConditions } = device;
  return {
    request: alternative.name,
    driver,
    pool: pool.name,
    device: device.name,
    ...(adminAccess === true && { adminAccess: true }),
    ...(tolerations !== undefined && { tolerations }),
    ...(bindingConditions !== undefined && { bindingConditions }),
    ...(bindingFailureConditions !== undefined && { bindingFailureConditions }),
    ...(shareID !== undefined && { shareID }),
    ...(consumed.size > 0 && {
      consumedCapacity: Object.fromEntries([...consumed].map(([name, amount]) => [name, amount.toString()])),
    }),
  };
}

/** Returns the configurations of the classes, once each, then those of the claim. */
function configsOf({ claim }: WantedClaim, selected: readonly (Alternative | undefined)[]): object[] {
  const ofClass = new Map<string, string[]>();
  const configs: object[] = [];
  for (const alternative of selected) {
    if (alternative === undefined) continue;
    const { metadata, spec } = alternative.deviceClass;
    const requests = ofClass.get(metadata.name ?? '');
    if (requests !== undefined) {
      requests.push(alternative.name);
      continue;
    }
    const shared = [alternative.name];
    ofClass.set(metadata.name ?? '', shared);
    for (const one of spec.config ?? []) configs.push({ source: 'FromClass', requests: shared, ...one });
  }
  for (const one of claim.spec.devices?.config ?? []) {
    const { requests = [] } = one as { requests?: readonly string[] };
    // As in kube-scheduler, once for each request that is named.
    const times =
      requests.length === 0
        ? 1
        : selected.filter(
            (by) => by !== undefined && (requests.includes(by.request) || requests.includes(by.name)),
          ).length;
    for (let i = 0; i < times; i++) configs.push({ source: 'FromClaim', ...one });
  }
  return configs;
}

/** Returns the nodes that can use all devices; `undefined` if all nodes can. */
function nodesOf(chosen: readonly ChosenDevice[], node: string): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const {
    device: { device, slice },
  } of chosen) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (nodeName !== undefined || device.bindsToNode === true)
      return {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      };
    const [term] = nodeSelector?.nodeSelectorTerms ?? [];
    addNew(matchFields, term?.matchFields);
    addNew(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length > 0 && { matchExpressions }),
        ...(matchFields.length > 0 && { matchFields }),
      },
    ],
  };
}

function addNew(known: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[] = []): void {
  const sorted = (values: readonly string[] = []): string => JSON.stringify([...new Set(values)].toSorted());
  for (const one of more) {
    const isSame = (other: NodeSelectorRequirement) =>
      other.key === one.key && other.operator === one.operator && sorted(other.values) === sorted(one.values);
    if (!known.some(isSame)) known.push(one);
  }
}
