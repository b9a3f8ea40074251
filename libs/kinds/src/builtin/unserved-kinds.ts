import { tableOf } from '@annex/machinery';
import { isRecordedKind } from './data.ts';

// Kinds that the scheme of kube-apiserver v1.36 can decode but does not serve: old and new versions, and
// kinds for clients.
const unserved = tableOf({
  'admission.k8s.io/v1': 'AdmissionReview',
  'admission.k8s.io/v1beta1': 'AdmissionReview',
  'admissionregistration.k8s.io/v1alpha1':
    'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1beta1':
    'ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding',
  'apidiscovery.k8s.io/v2': 'APIGroupDiscovery',
  'apidiscovery.k8s.io/v2beta1': 'APIGroupDiscovery',
  'apiextensions.k8s.io/v1beta1': 'CustomResourceDefinition ConversionReview',
  'apiregistration.k8s.io/v1beta1': 'APIService',
  'apps/v1beta1': 'Deployment DeploymentRollback Scale StatefulSet ControllerRevision',
  'apps/v1beta2': 'Deployment Scale StatefulSet DaemonSet ReplicaSet ControllerRevision',
  'authentication.k8s.io/v1alpha1': 'SelfSubjectReview',
  'authentication.k8s.io/v1beta1': 'SelfSubjectReview TokenReview',
  'authorization.k8s.io/v1beta1':
    'SelfSubjectRulesReview SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview',
  'batch/v1beta1': 'CronJob',
  'certificates.k8s.io/v1alpha1': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1': 'CertificateSigningRequest ClusterTrustBundle PodCertificateRequest',
  'coordination.k8s.io/v1alpha2': 'LeaseCandidate',
  'coordination.k8s.io/v1beta1': 'Lease LeaseCandidate',
  'discovery.k8s.io/v1beta1': 'EndpointSlice',
  'events.k8s.io/v1beta1': 'Event',
  'extensions/v1beta1': 'Deployment DeploymentRollback Scale DaemonSet Ingress ReplicaSet NetworkPolicy',
  'flowcontrol.apiserver.k8s.io/v1beta1': 'FlowSchema PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta2': 'FlowSchema PriorityLevelConfiguration',
  'flowcontrol.apiserver.k8s.io/v1beta3': 'FlowSchema PriorityLevelConfiguration',
  'imagepolicy.k8s.io/v1alpha1': 'ImageReview',
  'internal.apiserver.k8s.io/v1alpha1': 'StorageVersion',
  'networking.k8s.io/v1beta1': 'Ingress IngressClass IPAddress ServiceCIDR',
  'node.k8s.io/v1alpha1': 'RuntimeClass',
  'node.k8s.io/v1beta1': 'RuntimeClass',
  'policy/v1beta1': 'PodDisruptionBudget Eviction',
  'rbac.authorization.k8s.io/v1alpha1': 'Role RoleBinding ClusterRole ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1beta1': 'Role RoleBinding ClusterRole ClusterRoleBinding',
  'resource.k8s.io/v1alpha3': 'DeviceTaintRule ResourcePoolStatusRequest',
  'resource.k8s.io/v1beta1': 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice',
  'resource.k8s.io/v1beta2': 'DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice',
  'scheduling.k8s.io/v1alpha2': 'Workload PodGroup',
  'scheduling.k8s.io/v1beta1': 'PriorityClass',
  'storage.k8s.io/v1alpha1': 'VolumeAttachment CSIStorageCapacity VolumeAttributesClass',
  'storage.k8s.io/v1beta1':
    'StorageClass VolumeAttachment CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass',
  'storagemigration.k8s.io/v1beta1': 'StorageVersionMigration',
  v1: 'PodStatusResult SerializedReference RangeAllocation',
});

/** Returns whether kube-apiserver can decode a kind, even if it does not serve it. */
export const isKnownKind = (group: string, version: string, kind: string): boolean =>
  isRecordedKind(group, version, kind) ||
  (unserved
    .get(group === '' ? version : `${group}/${version}`)
    ?.split(' ')
    .includes(kind) ??
    false);
