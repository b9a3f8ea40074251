import type { JsonObject, KubeObject } from '@annex/machinery';
import type { WebhookClientConfig } from '@annex/admission';

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`, after defaulting. */
export interface Crd extends KubeObject {
  spec: CrdSpec;
  status: CrdStatus;
}

export interface CrdSpec {
  group: string;
  names: CrdNames;
  scope: string;
  versions: CrdVersion[] | null;
  conversion?: Conversion;
  preserveUnknownFields?: boolean;
}

export interface CrdNames {
  plural: string;
  singular?: string;
  shortNames?: string[];
  kind: string;
  listKind?: string;
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonObject };
  subresources?: CrdSubresources;
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface CrdSubresources {
  status?: Record<string, never>;
  scale?: ScalePaths;
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface Conversion {
  strategy: string;
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions: string[] | null };
}

export interface CrdStatus {
  conditions: CrdCondition[] | null;
  acceptedNames: CrdNames;
  storedVersions: string[] | null;
  observedGeneration?: number;
}

export interface CrdCondition {
  type: ConditionType;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export type ConditionType =
  | 'Established'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant';

export const crdGroup = 'apiextensions.k8s.io';
export const crdResource = { group: crdGroup, resource: 'customresourcedefinitions' };
export const crdPrefix = `/registry/${crdGroup}/customresourcedefinitions/`;

/** Set by the server on a CRD that is being deleted, until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const versionsOf = (crd: { spec: CrdSpec }): CrdVersion[] => crd.spec.versions ?? [];

export const conditionOf = (crd: Pick<Crd, 'status'>, type: ConditionType): CrdCondition | undefined =>
  crd.status?.conditions?.find((condition) => condition.type === type);

export const isTrue = (crd: Pick<Crd, 'status'>, type: ConditionType): boolean =>
  conditionOf(crd, type)?.status === 'True';

export const storageVersionOf = (crd: { spec: CrdSpec }): string | undefined =>
  versionsOf(crd).find((version) => version.storage)?.name;
