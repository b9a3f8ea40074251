/** Gates of kube-scheduler 1.36 whose value cannot change any more, or that Annex follows in their default. */
const gates: ReadonlyMap<string, { value: boolean; isLocked: boolean }> = new Map(
  Object.entries({
    SchedulerQueueingHints: { value: true, isLocked: true },
    DynamicResourceAllocation: { value: true, isLocked: true },
    NodeInclusionPolicyInPodTopologySpread: { value: true, isLocked: true },
    MatchLabelKeysInPodAffinity: { value: true, isLocked: true },
    PodSchedulingReadiness: { value: true, isLocked: true },
    SidecarContainers: { value: true, isLocked: true },
    SchedulerAsyncPreemption: { value: true, isLocked: false },
    SchedulerPopFromBackoffQ: { value: true, isLocked: false },
    SchedulerAsyncAPICalls: { value: false, isLocked: false },
    OpportunisticBatching: { value: true, isLocked: false },
    NominatedNodeNameForExpectation: { value: true, isLocked: false },
    ClearingNominatedNodeNameAfterBinding: { value: true, isLocked: false },
    StorageCapacityScoring: { value: false, isLocked: false },
    TaintTolerationComparisonOperators: { value: false, isLocked: false },
    GangScheduling: { value: false, isLocked: false },
    GenericWorkload: { value: false, isLocked: false },
    DRAExtendedResource: { value: true, isLocked: false },
    DRADeviceTaints: { value: true, isLocked: false },
    DRAPrioritizedList: { value: true, isLocked: true },
    DRAAdminAccess: { value: true, isLocked: false },
    DRAConsumableCapacity: { value: true, isLocked: false },
    DRAPartitionableDevices: { value: true, isLocked: false },
    NodeDeclaredFeatures: { value: true, isLocked: false },
    PodLevelResources: { value: true, isLocked: false },
    InPlacePodVerticalScaling: { value: true, isLocked: true },
    VolumeAttributesClass: { value: true, isLocked: true },
  }),
);

const wide = new Set(['AllAlpha', 'AllBeta']);

/** Returns the errors of gates that are unknown, locked, or that Annex does not have with that value. */
export function featureGateErrors(sent: Readonly<Record<string, string>>): string[] {
  return Object.entries(sent).flatMap(([name, text]) => {
    const value = ['1', 't', 'true'].includes(text.toLowerCase());
    if (!value && !['0', 'f', 'false'].includes(text.toLowerCase()))
      return [`invalid value of ${name}=${text}, err: strconv.ParseBool: parsing "${text}": invalid syntax`];
    if (wide.has(name)) return value ? [`${name}=true is not supported`] : [];
    const gate = gates.get(name);
    if (gate === undefined) return [`unrecognized feature gate: ${name}`];
    if (gate.value === value) return [];
    return gate.isLocked
      ? [`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.value}`]
      : [`feature gate ${name}=${value} is not supported`];
  });
}
