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

export interface ResourceClaim extends KubeObject {
  spec: { devices?: ClaimDevices };
  status?: { allocation?: Allocation; reservedFor?: readonly ConsumerReference[] };
}

export interface DeviceAttribute {
  string?: string;
  int?: number;
  bool?: boolean;
  version?: string;
}

export interface Device {
  name: string;
  attributes?: Readonly<Record<string, DeviceAttribute>>;
  capacity?: Readonly<Record<string, { value: string }>>;
  taints?: readonly DeviceTaint[];
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
