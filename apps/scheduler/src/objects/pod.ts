import type { KubeObject, LabelSelectorObject } from '@annex/machinery';

/** Amounts by the name of the resource, as quantities. */
export type ResourceList = Readonly<Record<string, string | number>>;

/** `resources` of a container or of a Pod. */
export interface ResourceRequirements {
  requests?: ResourceList;
  limits?: ResourceList;
  claims?: readonly { name: string; request?: string }[];
}

export interface ContainerPort {
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface RestartRule {
  action?: string;
}

export interface Container {
  name: string;
  image?: string;
  resources?: ResourceRequirements;
  ports?: readonly ContainerPort[];
  restartPolicy?: string;
  restartPolicyRules?: readonly RestartRule[];
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export interface NodeSelectorRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: readonly NodeSelectorRequirement[];
  matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelector {
  nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export interface PreferredSchedulingTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelectorObject;
  namespaces?: readonly string[];
  namespaceSelector?: LabelSelectorObject;
  topologyKey: string;
}

export interface WeightedPodAffinityTerm {
  weight: number;
  podAffinityTerm: PodAffinityTerm;
}

/** `podAffinity` and `podAntiAffinity`. */
export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelectorObject;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: readonly string[];
}

export interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: object;
  image?: { reference?: string };
  gcePersistentDisk?: { pdName: string; readOnly?: boolean };
  awsElasticBlockStore?: { volumeID: string };
  azureDisk?: { diskURI: string; kind?: string };
  azureFile?: object;
  cinder?: { volumeID: string };
  portworxVolume?: { volumeID: string };
  vsphereVolume?: object;
  iscsi?: { iqn: string; readOnly?: boolean };
  rbd?: { monitors?: readonly string[]; image: string; pool?: string; readOnly?: boolean };
  csi?: { driver: string };
}

/** An entry of `resourceClaims`. */
export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodSpec {
  nodeName?: string;
  schedulerName?: string;
  priority?: number;
  preemptionPolicy?: string;
  schedulingGates?: readonly { name: string }[];
  containers: readonly Container[];
  initContainers?: readonly Container[];
  overhead?: ResourceList;
  resources?: ResourceRequirements;
  tolerations?: readonly Toleration[];
  nodeSelector?: Readonly<Record<string, string>>;
  affinity?: { nodeAffinity?: NodeAffinity; podAffinity?: PodAffinity; podAntiAffinity?: PodAffinity };
  topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  volumes?: readonly Volume[];
  resourceClaims?: readonly PodResourceClaim[];
  hostNetwork?: boolean;
  hostUsers?: boolean;
  terminationGracePeriodSeconds?: number;
}

export interface PodCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

export interface ContainerStatus {
  name: string;
  resources?: ResourceRequirements;
  allocatedResources?: ResourceList;
}

export interface PodStatus {
  phase?: string;
  startTime?: string;
  nominatedNodeName?: string;
  conditions?: readonly PodCondition[];
  containerStatuses?: readonly ContainerStatus[];
  initContainerStatuses?: readonly ContainerStatus[];
  resources?: ResourceRequirements;
  allocatedResources?: ResourceList;
  resourceClaimStatuses?: readonly { name: string; resourceClaimName?: string }[];
  extendedResourceClaimStatus?: ExtendedResourceClaimStatus;
}

export interface ExtendedResourceClaimStatus {
  resourceClaimName: string;
  requestMappings: readonly { containerName: string; resourceName: string; requestName: string }[];
}

/** A Pod, with the fields that decide where it runs. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}
