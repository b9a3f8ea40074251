/**
 * The named Go types of fields that the schema shows as a string, a list or a map, with the fields of each type. Decoding
 * errors contain these names. Source: the Go packages of Kubernetes 1.36.
 */
const fieldsOfType: Readonly<Record<string, string>> = {
  '[]types.UID': 'batch.v1.UncountedTerminatedPods.failed batch.v1.UncountedTerminatedPods.succeeded',
  '[]v1.Capability': 'core.v1.Capabilities.add core.v1.Capabilities.drop',
  '[]v1.FinalizerName': 'core.v1.NamespaceSpec.finalizers',
  '[]v1.IPFamily': 'core.v1.ServiceSpec.ipFamilies',
  '[]v1.KeyUsage': 'certificates.v1.CertificateSigningRequestSpec.usages',
  '[]v1.OperationType':
    'admissionregistration.v1.NamedRuleWithOperations.operations admissionregistration.v1.RuleWithOperations.operations',
  '[]v1.PersistentVolumeAccessMode':
    'core.v1.PersistentVolumeClaimSpec.accessModes core.v1.PersistentVolumeClaimStatus.accessModes core.v1.PersistentVolumeSpec.accessModes',
  '[]v1.PolicyType': 'networking.v1.NetworkPolicySpec.policyTypes',
  '[]v1.ResourceQuotaScope': 'core.v1.ResourceQuotaSpec.scopes',
  '[]v1.UniqueVolumeName': 'core.v1.NodeStatus.volumesInUse',
  '[]v1.ValidationAction': 'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.validationActions',
  '[]v1.VolumeLifecycleMode': 'storage.v1.CSIDriverSpec.volumeLifecycleModes',
  'map[string]v1.ExtraValue':
    'authentication.v1.UserInfo.extra authorization.v1.SubjectAccessReviewSpec.extra certificates.v1.CertificateSigningRequestSpec.extra',
  'map[v1.QualifiedName]resource.Quantity':
    'resource.v1.CapacityRequirements.requests resource.v1.DeviceRequestAllocationResult.consumedCapacity',
  'map[v1.QualifiedName]v1.DeviceAttribute': 'resource.v1.Device.attributes',
  'map[v1.QualifiedName]v1.DeviceCapacity': 'resource.v1.Device.capacity',
  'map[v1.ResourceName]resource.Quantity': 'core.v1.NodeAllocatableResourceClaimStatus.resources',
  'map[v1.ResourceName]v1.ClaimResourceStatus':
    'core.v1.PersistentVolumeClaimStatus.allocatedResourceStatuses',
  'map[v1.ResourceName]v1.NodeAllocatableResourceMapping':
    'resource.v1.Device.nodeAllocatableResourceMappings',
  'types.UID':
    'authentication.v1.BoundObjectReference.uid core.v1.ConfigMapNodeConfigSource.uid core.v1.ObjectReference.uid meta.v1.ObjectMeta.uid meta.v1.OwnerReference.uid meta.v1.Preconditions.uid meta.v1.StatusDetails.uid resource.v1.DeviceRequestAllocationResult.shareID resource.v1.ResourceClaimConsumerReference.uid',
  'v1.APIServiceConditionType': 'apiregistration.v1.APIServiceCondition.type',
  'v1.AddressType': 'discovery.v1.EndpointSlice.addressType',
  'v1.AllocationConfigSource': 'resource.v1.DeviceAllocationConfiguration.source',
  'v1.AppArmorProfileType': 'core.v1.AppArmorProfile.type',
  'v1.AzureDataDiskCachingMode': 'core.v1.AzureDiskVolumeSource.cachingMode',
  'v1.AzureDataDiskKind': 'core.v1.AzureDiskVolumeSource.kind',
  'v1.CauseType': 'meta.v1.StatusCause.reason',
  'v1.CompletionMode': 'batch.v1.JobSpec.completionMode',
  'v1.ComponentConditionType': 'core.v1.ComponentCondition.type',
  'v1.ConcurrencyPolicy': 'batch.v1.CronJobSpec.concurrencyPolicy',
  'v1.ConditionStatus':
    'apiextensions.v1.CustomResourceDefinitionCondition.status apiregistration.v1.APIServiceCondition.status apps.v1.DaemonSetCondition.status apps.v1.DeploymentCondition.status apps.v1.ReplicaSetCondition.status apps.v1.StatefulSetCondition.status autoscaling.v2.HorizontalPodAutoscalerCondition.status batch.v1.JobCondition.status batch.v1.PodFailurePolicyOnPodConditionsPattern.status certificates.v1.CertificateSigningRequestCondition.status core.v1.ComponentCondition.status core.v1.NamespaceCondition.status core.v1.NodeCondition.status core.v1.PersistentVolumeClaimCondition.status core.v1.PodCondition.status core.v1.ReplicationControllerCondition.status flowcontrol.v1.FlowSchemaCondition.status flowcontrol.v1.PriorityLevelConfigurationCondition.status meta.v1.Condition.status',
  'v1.ContainerRestartPolicy': 'core.v1.Container.restartPolicy core.v1.EphemeralContainer.restartPolicy',
  'v1.ContainerRestartRuleAction': 'core.v1.ContainerRestartRule.action',
  'v1.ContainerRestartRuleOnExitCodesOperator': 'core.v1.ContainerRestartRuleOnExitCodes.operator',
  'v1.ConversionStrategyType': 'apiextensions.v1.CustomResourceConversion.strategy',
  'v1.CoordinatedLeaseStrategy': 'coordination.v1.LeaseSpec.strategy',
  'v1.CustomResourceDefinitionConditionType': 'apiextensions.v1.CustomResourceDefinitionCondition.type',
  'v1.DNSPolicy': 'core.v1.PodSpec.dnsPolicy',
  'v1.DaemonSetConditionType': 'apps.v1.DaemonSetCondition.type',
  'v1.DaemonSetUpdateStrategyType': 'apps.v1.DaemonSetUpdateStrategy.type',
  'v1.DeletionPropagation': 'meta.v1.DeleteOptions.propagationPolicy',
  'v1.DeploymentConditionType': 'apps.v1.DeploymentCondition.type',
  'v1.DeploymentStrategyType': 'apps.v1.DeploymentStrategy.type',
  'v1.DeviceAllocationMode':
    'resource.v1.DeviceSubRequest.allocationMode resource.v1.ExactDeviceRequest.allocationMode',
  'v1.DeviceTaintEffect': 'resource.v1.DeviceTaint.effect resource.v1.DeviceToleration.effect',
  'v1.DeviceTolerationOperator': 'resource.v1.DeviceToleration.operator',
  'v1.FSGroupPolicy': 'storage.v1.CSIDriverSpec.fsGroupPolicy',
  'v1.FailurePolicyType':
    'admissionregistration.v1.MutatingAdmissionPolicySpec.failurePolicy admissionregistration.v1.MutatingWebhook.failurePolicy admissionregistration.v1.ValidatingAdmissionPolicySpec.failurePolicy admissionregistration.v1.ValidatingWebhook.failurePolicy',
  'v1.FieldSelectorOperator': 'meta.v1.FieldSelectorRequirement.operator',
  'v1.FieldValueErrorReason': 'apiextensions.v1.ValidationRule.reason',
  'v1.FlowDistinguisherMethodType': 'flowcontrol.v1.FlowDistinguisherMethod.type',
  'v1.FlowSchemaConditionType': 'flowcontrol.v1.FlowSchemaCondition.type',
  'v1.FullyQualifiedName':
    'resource.v1.DeviceConstraint.distinctAttribute resource.v1.DeviceConstraint.matchAttribute',
  'v1.HostPathType': 'core.v1.HostPathVolumeSource.type',
  'v1.IPFamilyPolicy': 'core.v1.ServiceSpec.ipFamilyPolicy',
  'v1.JSONSchemaDefinitions': 'apiextensions.v1.JSONSchemaProps.definitions',
  'v1.JSONSchemaDependencies': 'apiextensions.v1.JSONSchemaProps.dependencies',
  'v1.JSONSchemaURL': 'apiextensions.v1.JSONSchemaProps.$schema',
  'v1.JobConditionType': 'batch.v1.JobCondition.type',
  'v1.LabelSelectorOperator': 'meta.v1.LabelSelectorRequirement.operator',
  'v1.LimitResponseType': 'flowcontrol.v1.LimitResponse.type',
  'v1.LimitType': 'core.v1.LimitRangeItem.type',
  'v1.LoadBalancerIPMode': 'core.v1.LoadBalancerIngress.ipMode',
  'v1.ManagedFieldsOperationType': 'meta.v1.ManagedFieldsEntry.operation',
  'v1.MatchPolicyType':
    'admissionregistration.v1.MatchResources.matchPolicy admissionregistration.v1.MutatingWebhook.matchPolicy admissionregistration.v1.ValidatingWebhook.matchPolicy',
  'v1.MountPropagationMode': 'core.v1.VolumeMount.mountPropagation',
  'v1.NamespaceConditionType': 'core.v1.NamespaceCondition.type',
  'v1.NamespacePhase': 'core.v1.NamespaceStatus.phase',
  'v1.NodeAddressType': 'core.v1.NodeAddress.type',
  'v1.NodeConditionType': 'core.v1.NodeCondition.type',
  'v1.NodeInclusionPolicy':
    'core.v1.TopologySpreadConstraint.nodeAffinityPolicy core.v1.TopologySpreadConstraint.nodeTaintsPolicy',
  'v1.NodePhase': 'core.v1.NodeStatus.phase',
  'v1.NodeSelectorOperator': 'core.v1.NodeSelectorRequirement.operator',
  'v1.OSName': 'core.v1.PodOS.name',
  'v1.ParameterNotFoundActionType': 'admissionregistration.v1.ParamRef.parameterNotFoundAction',
  'v1.PatchType': 'admissionregistration.v1.Mutation.patchType',
  'v1.PathType': 'networking.v1.HTTPIngressPath.pathType',
  'v1.PersistentVolumeClaimConditionType': 'core.v1.PersistentVolumeClaimCondition.type',
  'v1.PersistentVolumeClaimModifyVolumeStatus': 'core.v1.ModifyVolumeStatus.status',
  'v1.PersistentVolumeClaimPhase': 'core.v1.PersistentVolumeClaimStatus.phase',
  'v1.PersistentVolumeClaimRetentionPolicyType':
    'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled',
  'v1.PersistentVolumeMode':
    'core.v1.PersistentVolumeClaimSpec.volumeMode core.v1.PersistentVolumeSpec.volumeMode',
  'v1.PersistentVolumePhase': 'core.v1.PersistentVolumeStatus.phase',
  'v1.PersistentVolumeReclaimPolicy':
    'core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy storage.v1.StorageClass.reclaimPolicy',
  'v1.PodConditionType':
    'batch.v1.PodFailurePolicyOnPodConditionsPattern.type core.v1.PodCondition.type core.v1.PodReadinessGate.conditionType',
  'v1.PodFSGroupChangePolicy': 'core.v1.PodSecurityContext.fsGroupChangePolicy',
  'v1.PodFailurePolicyAction': 'batch.v1.PodFailurePolicyRule.action',
  'v1.PodFailurePolicyOnExitCodesOperator': 'batch.v1.PodFailurePolicyOnExitCodesRequirement.operator',
  'v1.PodManagementPolicyType': 'apps.v1.StatefulSetSpec.podManagementPolicy',
  'v1.PodPhase': 'core.v1.PodStatus.phase',
  'v1.PodQOSClass': 'core.v1.PodStatus.qosClass',
  'v1.PodReplacementPolicy': 'batch.v1.JobSpec.podReplacementPolicy',
  'v1.PodResizeStatus': 'core.v1.PodStatus.resize',
  'v1.PodSELinuxChangePolicy': 'core.v1.PodSecurityContext.seLinuxChangePolicy',
  'v1.PreemptionPolicy': 'core.v1.PodSpec.preemptionPolicy scheduling.v1.PriorityClass.preemptionPolicy',
  'v1.PriorityLevelConfigurationConditionType': 'flowcontrol.v1.PriorityLevelConfigurationCondition.type',
  'v1.PriorityLevelEnablement': 'flowcontrol.v1.PriorityLevelConfigurationSpec.type',
  'v1.ProcMountType': 'core.v1.SecurityContext.procMount',
  'v1.Protocol':
    'core.v1.ContainerPort.protocol core.v1.EndpointPort.protocol core.v1.PortStatus.protocol core.v1.ServicePort.protocol discovery.v1.EndpointPort.protocol networking.v1.IngressPortStatus.protocol networking.v1.NetworkPolicyPort.protocol',
  'v1.PullPolicy':
    'core.v1.Container.imagePullPolicy core.v1.EphemeralContainer.imagePullPolicy core.v1.ImageVolumeSource.pullPolicy',
  'v1.QualifiedName': 'resource.v1.NodeAllocatableResourceMapping.capacityKey',
  'v1.RecursiveReadOnlyMode':
    'core.v1.VolumeMount.recursiveReadOnly core.v1.VolumeMountStatus.recursiveReadOnly',
  'v1.ReinvocationPolicyType':
    'admissionregistration.v1.MutatingAdmissionPolicySpec.reinvocationPolicy admissionregistration.v1.MutatingWebhook.reinvocationPolicy',
  'v1.ReplicaSetConditionType': 'apps.v1.ReplicaSetCondition.type',
  'v1.ReplicationControllerConditionType': 'core.v1.ReplicationControllerCondition.type',
  'v1.RequestConditionType': 'certificates.v1.CertificateSigningRequestCondition.type',
  'v1.ResourceHealthStatus': 'core.v1.ResourceHealth.health',
  'v1.ResourceID': 'core.v1.ResourceHealth.resourceID',
  'v1.ResourceName':
    'autoscaling.v2.ContainerResourceMetricSource.name autoscaling.v2.ContainerResourceMetricStatus.name autoscaling.v2.ResourceMetricSource.name autoscaling.v2.ResourceMetricStatus.name core.v1.ContainerResizePolicy.resourceName core.v1.ResourceStatus.name',
  'v1.ResourceQuotaScope': 'core.v1.ScopedResourceSelectorRequirement.scopeName',
  'v1.ResourceResizeRestartPolicy': 'core.v1.ContainerResizePolicy.restartPolicy',
  'v1.ResourceScope': 'apiextensions.v1.CustomResourceDefinitionSpec.scope',
  'v1.RestartPolicy': 'core.v1.PodSpec.restartPolicy',
  'v1.ScopeSelectorOperator': 'core.v1.ScopedResourceSelectorRequirement.operator',
  'v1.ScopeType':
    'admissionregistration.v1.NamedRuleWithOperations.scope admissionregistration.v1.RuleWithOperations.scope',
  'v1.SeccompProfileType': 'core.v1.SeccompProfile.type',
  'v1.SecretType': 'core.v1.Secret.type',
  'v1.ServiceAffinity': 'core.v1.ServiceSpec.sessionAffinity',
  'v1.ServiceExternalTrafficPolicy': 'core.v1.ServiceSpec.externalTrafficPolicy',
  'v1.ServiceInternalTrafficPolicy': 'core.v1.ServiceSpec.internalTrafficPolicy',
  'v1.ServiceType': 'core.v1.ServiceSpec.type',
  'v1.SideEffectClass':
    'admissionregistration.v1.MutatingWebhook.sideEffects admissionregistration.v1.ValidatingWebhook.sideEffects',
  'v1.Signal': 'core.v1.ContainerStatus.stopSignal core.v1.Lifecycle.stopSignal',
  'v1.StatefulSetConditionType': 'apps.v1.StatefulSetCondition.type',
  'v1.StatefulSetUpdateStrategyType': 'apps.v1.StatefulSetUpdateStrategy.type',
  'v1.StatusReason': 'admissionregistration.v1.Validation.reason meta.v1.Status.reason',
  'v1.StorageMedium': 'core.v1.EmptyDirVolumeSource.medium',
  'v1.SubjectKind': 'flowcontrol.v1.Subject.kind',
  'v1.SupplementalGroupsPolicy': 'core.v1.PodSecurityContext.supplementalGroupsPolicy',
  'v1.TaintEffect': 'core.v1.Taint.effect core.v1.Toleration.effect',
  'v1.TerminationMessagePolicy':
    'core.v1.Container.terminationMessagePolicy core.v1.EphemeralContainer.terminationMessagePolicy',
  'v1.TolerationOperator': 'core.v1.Toleration.operator',
  'v1.URIScheme': 'core.v1.HTTPGetAction.scheme',
  'v1.UnhealthyPodEvictionPolicyType': 'policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy',
  'v1.UniqueVolumeName': 'core.v1.AttachedVolume.name',
  'v1.UnsatisfiableConstraintAction': 'core.v1.TopologySpreadConstraint.whenUnsatisfiable',
  'v1.ValidationRules': 'apiextensions.v1.JSONSchemaProps.x-kubernetes-validations',
  'v1.Verbs': 'meta.v1.APIResource.verbs',
  'v1.VolumeBindingMode': 'storage.v1.StorageClass.volumeBindingMode',
  'v2.HPAScalingPolicyType': 'autoscaling.v2.HPAScalingPolicy.type',
  'v2.HorizontalPodAutoscalerConditionType': 'autoscaling.v2.HorizontalPodAutoscalerCondition.type',
  'v2.MetricSourceType': 'autoscaling.v2.MetricSpec.type autoscaling.v2.MetricStatus.type',
  'v2.MetricTargetType': 'autoscaling.v2.MetricTarget.type',
  'v2.ScalingPolicySelect': 'autoscaling.v2.HPAScalingRules.selectPolicy',
};

/** Structs that embed another struct: its name, and the fields that are not in it. */
const embeddedStructs: Readonly<Record<string, readonly [embedded: string, own: string]>> = {
  'v1.ConfigMapEnvSource': ['LocalObjectReference', 'optional'],
  'v1.ConfigMapKeySelector': ['LocalObjectReference', 'key optional'],
  'v1.ConfigMapProjection': ['LocalObjectReference', 'items optional'],
  'v1.ConfigMapVolumeSource': ['LocalObjectReference', 'defaultMode items optional'],
  'v1.DeviceAllocationConfiguration': ['DeviceConfiguration', 'requests source'],
  'v1.DeviceClaimConfiguration': ['DeviceConfiguration', 'requests'],
  'v1.DeviceClassConfiguration': ['DeviceConfiguration', ''],
  'v1.EphemeralContainer': ['EphemeralContainerCommon', 'targetContainerName'],
  'v1.IngressRule': ['IngressRuleValue', 'host'],
  'v1.NamedRuleWithOperations': ['RuleWithOperations', 'resourceNames'],
  'v1.PersistentVolumeSpec': [
    'PersistentVolumeSource',
    'accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName volumeAttributesClassName volumeMode',
  ],
  'v1.Probe': [
    'ProbeHandler',
    'failureThreshold initialDelaySeconds periodSeconds successThreshold terminationGracePeriodSeconds timeoutSeconds',
  ],
  'v1.RuleWithOperations': ['Rule', 'operations'],
  'v1.SecretEnvSource': ['LocalObjectReference', 'optional'],
  'v1.SecretKeySelector': ['LocalObjectReference', 'key optional'],
  'v1.SecretProjection': ['LocalObjectReference', 'items optional'],
  'v1.Volume': ['VolumeSource', 'name'],
};

let typesByField: Map<string, string> | undefined;

/**
 * Returns the named Go type of a field of a component, such as `io.k8s.api.core.v1.Secret` and `type`; `undefined` if it has
 * none.
 */
export function namedGoType(component: string, field: string): string | undefined {
  typesByField ??= new Map(
    Object.entries(fieldsOfType).flatMap(([type, fields]) => fields.split(' ').map((name) => [name, type])),
  );
  return typesByField.get(`${component.split('.').slice(-3).join('.')}.${field}`);
}

/** Returns the embedded structs of a field, from the outermost inwards: `ProbeHandler` for `httpGet` of `v1.Probe`. */
export function structsEmbedding(goType: string, field: string): string[] {
  const found = Object.hasOwn(embeddedStructs, goType) ? embeddedStructs[goType] : undefined;
  if (found === undefined || found[1].split(' ').includes(field)) return [];
  return [found[0], ...structsEmbedding(`v1.${found[0]}`, field)];
}
