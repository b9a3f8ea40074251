import { type KubeObject, Quantity } from '@annex/machinery';
import { countName, type QuotaEvaluator } from './evaluator.ts';

interface DeviceRequest {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
}

interface ResourceClaim extends KubeObject {
  spec?: { devices?: { requests?: { exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[] } };
}

const group = 'resource.k8s.io';
const count = countName(group, 'resourceclaims');
const ofClass = '.deviceclass.resource.k8s.io/devices';
/** The maximum number of devices of a claim. */
const devicesPerClaim = 32;

/** Counts ResourceClaims, and the maximum number of devices of each class. */
export const resourceClaims: QuotaEvaluator = {
  group,
  resource: 'resourceclaims',
  handles: ({ subresource }) => subresource === '',
  measures: (name) => name === count || name.endsWith(ofClass),
  usage({ spec }: ResourceClaim) {
    const used = new Map([[count, Quantity.of(1)]]);
    for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
      for (const [name, devices] of atMost(exactly === undefined ? firstAvailable : [exactly])) {
        used.set(name, (used.get(name) ?? Quantity.of(0)).add(Quantity.of(devices)));
      }
    }
    return used;
  },
  inScope: () => false,
};

/** Only one alternative is used: by class, the one with most devices counts. */
function atMost(alternatives: readonly DeviceRequest[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const request of alternatives) {
    const name = `${request.deviceClassName ?? ''}${ofClass}`;
    most.set(name, Math.max(most.get(name) ?? 0, devicesOf(request)));
  }
  return most;
}

const devicesOf = ({ allocationMode, count: devices = 0 }: DeviceRequest): number =>
  allocationMode === 'All' ? devicesPerClaim : allocationMode === 'ExactCount' ? devices : 0;
