import type { KubeObject } from '@annex/machinery';
import type { NodeSelector, ResourceList, Volume } from './pod.ts';

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface PersistentVolume extends KubeObject {
  spec: {
    capacity?: ResourceList;
    accessModes?: readonly string[];
    storageClassName?: string;
    volumeMode?: string;
    volumeAttributesClassName?: string;
    claimRef?: ObjectReference;
    nodeAffinity?: { required?: NodeSelector };
    csi?: { driver: string; volumeHandle: string };
  } & Pick<Volume, 'awsElasticBlockStore' | 'azureDisk' | 'cinder' | 'gcePersistentDisk' | 'portworxVolume'>;
  status?: { phase?: string };
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: readonly string[];
    resources?: { requests?: ResourceList };
    selector?: {
      matchLabels?: Record<string, string>;
      matchExpressions?: { key: string; operator: string; values?: string[] }[];
    };
    storageClassName?: string;
    volumeMode?: string;
    volumeName?: string;
    volumeAttributesClassName?: string;
  };
  status?: { phase?: string };
}

export interface TopologySelectorTerm {
  matchLabelExpressions?: readonly { key: string; values: readonly string[] }[];
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  volumeBindingMode?: string;
  allowedTopologies?: readonly TopologySelectorTerm[];
}

export interface CsiNode extends KubeObject {
  spec: {
    drivers?: readonly {
      name: string;
      nodeID?: string;
      allocatable?: { count?: number };
      topologyKeys?: readonly string[];
    }[];
  };
}

export interface CsiDriver extends KubeObject {
  spec: { storageCapacity?: boolean; attachRequired?: boolean };
}

export interface CsiStorageCapacity extends KubeObject {
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
  nodeTopology?: {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
  };
}

export interface VolumeAttachment extends KubeObject {
  spec: {
    attacher: string;
    nodeName: string;
    source: { persistentVolumeName?: string; inlineVolumeSpec?: PersistentVolume['spec'] };
  };
}
