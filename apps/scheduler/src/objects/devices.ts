import type { KubeObject } from '@annex/machinery';
import type { NodeSelector, Toleration } from './pod.ts';

/** A selector of devices: a CEL expression over `device`. */
export interface DeviceSelector {
  cel?: { expression: string };
}

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: string;
}

export interface DeviceRequestBody {
  deviceClassName?: string;
  selectors?: readonly DeviceSelector[];
  allocationMode?: string;
  count?: number;
  adminAccess?: boolean;
  tolerations?: readonly Toleration[];
  /** Amounts of a device that claims share, by the name of the capacity. */
  capacity?: { requests?: Readonly<Record<string, string>> };
}

/** A request of a claim: `exactly`, or the first available of several. */
export interface DeviceRequest {
  name: string;
  exactly?: DeviceRequestBody;
  firstAvailable?: readonly (DeviceRequestBody & { name: string })[];
}

export interface DeviceConstraint {
  requests?: readonly string[];
  matchAttribute?: string;
  distinctAttribute?: string;
}

export interface DeviceResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  tolerations?: readonly Toleration[];
  /** Set for a device that claims share. */
  shareID?: string;
  consumedCapacity?: Readonly<Record<string, string>>;
  bindingConditions?: readonly string[];
  bindingFailureConditions?: readonly string[];
}

export interface Allocation {
  devices?: { results?: readonly DeviceResult[]; config?: readonly object[] };
  nodeSelector?: NodeSelector;
  allocationTimestamp?: string;
}

export interface ConsumerReference {
  apiGroup?: string;
  resource: string;
  name: string;
  uid: string;
}

export interface ClaimDevices {
  requests?: readonly DeviceRequest[];
  constraints?: readonly DeviceConstraint[];
  config?: readonly object[];
}

/** What a driver reports about an allocated device. */
export interface DeviceStatus {
  driver: string;
  pool: string;
  device: string;
  conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
}

export interface ResourceClaim extends KubeObject {
  spec: { devices?: ClaimDevices };
  status?: {
    allocation?: Allocation;
    reservedFor?: readonly ConsumerReference[];
    devices?: readonly DeviceStatus[];
  };
}

export interface DeviceAttribute {
  string?: string;
  int?: number;
  bool?: boolean;
  version?: string;
}

/** The amounts that requests for a capacity may have; others are rounded up, or refused. */
export interface CapacityPolicy {
  default?: string;
  validValues?: readonly string[];
  validRange?: { min?: string; max?: string; step?: string };
}

export interface DeviceCapacity {
  value: string;
  requestPolicy?: CapacityPolicy;
}

/** Amounts by the name of the counter. */
export type Counters = Readonly<Record<string, { value: string }>>;

export interface Device {
  name: string;
  attributes?: Readonly<Record<string, DeviceAttribute>>;
  capacity?: Readonly<Record<string, DeviceCapacity>>;
  taints?: readonly DeviceTaint[];
  /** What the device takes of the counters of its pool. */
  consumesCounters?: readonly { counterSet: string; counters: Counters }[];
  allowMultipleAllocations?: boolean;
  bindsToNode?: boolean;
  bindingConditions?: readonly string[];
  bindingFailureConditions?: readonly string[];
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

export interface ResourceSlice extends KubeObject {
  spec: {
    driver: string;
    pool: { name: string; generation: number; resourceSliceCount: number };
    nodeName?: string;
    nodeSelector?: NodeSelector;
    allNodes?: boolean;
    perDeviceNodeSelection?: boolean;
    sharedCounters?: readonly { name: string; counters: Counters }[];
    devices?: readonly Device[];
  };
}

export interface DeviceClass extends KubeObject {
  spec: {
    selectors?: readonly DeviceSelector[];
    config?: readonly object[];
    extendedResourceName?: string;
  };
}
