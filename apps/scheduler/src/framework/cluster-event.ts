import type { KubeObject } from '@annex/machinery';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';

/** The kinds of objects whose changes may let a Pod be scheduled. */
export type EventResource =
  | 'Pod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass';

/** What changed. `update` is any change that no other action names; plugins that register it are notified of all of them. */
export type EventAction =
  | 'Add'
  | 'Delete'
  | 'Update'
  | 'UpdateNodeAllocatable'
  | 'UpdateNodeLabel'
  | 'UpdateNodeTaint'
  | 'UpdateNodeCondition'
  | 'UpdateNodeAnnotation'
  | 'UpdateNodeDeclaredFeature'
  | 'UpdatePodLabel'
  | 'UpdatePodScaleDown'
  | 'UpdatePodToleration'
  | 'UpdatePodSchedulingGatesEliminated'
  | 'UpdatePodGeneratedResourceClaim';

/** A change of the cluster. */
export interface ClusterEvent {
  readonly resource: EventResource;
  readonly action: EventAction;
  /** The name in metrics: `AssignedPodDelete`, `storage.k8s.io/StorageClassAdd`. */
  readonly label: string;
}

const groups: Readonly<Partial<Record<EventResource, string>>> = {
  StorageClass: 'storage.k8s.io',
  CSINode: 'storage.k8s.io',
  CSIDriver: 'storage.k8s.io',
  CSIStorageCapacity: 'storage.k8s.io',
  VolumeAttachment: 'storage.k8s.io',
  ResourceClaim: 'resource.k8s.io',
  ResourceSlice: 'resource.k8s.io',
  DeviceClass: 'resource.k8s.io',
};

const nameOf = (resource: EventResource): string => {
  const group = groups[resource];
  return group === undefined ? resource : `${group}/${resource}`;
};

export const clusterEvent = (
  resource: EventResource,
  action: EventAction,
  label = `${nameOf(resource)}${action}`,
): ClusterEvent => ({ resource, action, label });

export const podEvents = {
  assignedAdd: clusterEvent('Pod', 'Add', 'AssignedPodAdd'),
  assignedDelete: clusterEvent('Pod', 'Delete', 'AssignedPodDelete'),
  unscheduledAdd: clusterEvent('Pod', 'Add', 'UnschedulablePodAdd'),
  unscheduledUpdate: clusterEvent('Pod', 'Update', 'UnschedulablePodUpdate'),
} as const;

/** The objects that hints get, by resource. */
interface HintObjects extends Record<Exclude<EventResource, 'Pod' | 'Node'>, KubeObject> {
  Pod: PodInfo;
  Node: NodeInfo;
}

/** Events that a plugin registers for the Pods that it refused. */
export type EventRegistration = {
  [Resource in EventResource]: {
    readonly resource: Resource;
    readonly actions: readonly EventAction[];
    /** Returns whether the change may let the Pod be scheduled; default: always. `before` is absent for new objects, `after` for deleted ones. */
    hint?(
      pod: PodInfo,
      before: HintObjects[Resource] | undefined,
      after: HintObjects[Resource] | undefined,
    ): boolean;
  };
}[EventResource];

/** Returns whether a registration covers an event. */
export function covers({ resource, actions }: EventRegistration, event: ClusterEvent): boolean {
  if (resource !== event.resource) return false;
  return actions.includes(event.action) || (event.action.startsWith('Update') && actions.includes('Update'));
}

const everything: readonly EventResource[] = [
  'Pod',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'StorageClass',
  'ResourceClaim',
  'DeviceClass',
];

/** The events of plugins that register none: every change. */
export const everyEvent: readonly EventRegistration[] = everything.map((resource) => ({
  resource,
  actions: ['Add', 'Delete', 'Update'],
}));
