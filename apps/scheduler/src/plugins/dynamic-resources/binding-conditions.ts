import type { Handle } from '../../framework/handle.ts';
import type { FeatureGates } from '../../config/feature-gates.ts';
import type { DeviceResult, ResourceClaim } from '../../objects/devices.ts';
import type { Pod } from '../../objects/pod.ts';
import { keyOf } from '../../objects/pod-info.ts';

/** How often the conditions of devices are read. Source: kube-scheduler. */
const pollMs = 5_000;

export const usesBindingConditions = (features: FeatureGates): boolean =>
  features.has('DRADeviceBindingConditions') && features.has('DRAResourceClaimDeviceStatus');

const resultsOf = ({ status }: ResourceClaim): readonly DeviceResult[] =>
  status?.allocation?.devices?.results ?? [];

const hasConditions = ({ bindingConditions = [] }: DeviceResult): boolean => bindingConditions.length > 0;

/** Returns whether the devices of a claim are prepared for binding. Throws an Error if a driver reports a failure. */
export function isReadyForBinding(claim: ResourceClaim): boolean {
  if (claim.status?.allocation === undefined) return false;
  for (const result of resultsOf(claim).filter(hasConditions)) {
    const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } = result;
    const reported = claim.status.devices?.find(
      (one) => one.driver === driver && one.pool === pool && one.device === device,
    );
    if (reported === undefined) return false;
    const isTrue = (type: string) =>
      reported.conditions?.find((one) => one.type === type && one.status === 'True');
    for (const type of bindingFailureConditions) {
      const failure = isTrue(type);
      if (failure !== undefined)
        throw new Error(
          `device binding failed: claim=${claim.metadata.name}, reason=${failure.reason ?? ''}, message=${JSON.stringify(failure.message ?? '')}`,
        );
    }
    if (!bindingConditions.every(isTrue)) return false;
  }
  return true;
}

/** Returns whether the time to prepare the devices of a claim is over. */
export function isBindingLate(claim: ResourceClaim, now: number, timeoutMs: number): boolean {
  const allocated = Date.parse(claim.status?.allocation?.allocationTimestamp ?? '');
  if (Number.isNaN(allocated) || !resultsOf(claim).some((one) => one.bindingConditions !== undefined))
    return false;
  return allocated + timeoutMs < now;
}

/** Returns whether the devices of a claim failed, or were not prepared in time: then others may be tried. */
export function cannotBeBound(claim: ResourceClaim, now: number, timeoutMs: number): boolean {
  try {
    return !isReadyForBinding(claim) && isBindingLate(claim, now, timeoutMs);
  } catch {
    return true;
  }
}

/** Waits until the devices of claims are prepared. Rejects with an Error if that fails or takes too long. */
export async function waitForDevices(
  { cluster, clock, recorder }: Handle,
  claims: readonly ResourceClaim[],
  where: { pod: Pod; node: string; signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  if (!claims.some((claim) => resultsOf(claim).some(hasConditions))) return;
  const { pod, node, signal, timeoutMs } = where;
  recorder.record({
    regarding: pod,
    type: 'Normal',
    reason: 'BindingConditionsPending',
    action: 'Scheduling',
    note: `waiting for binding conditions for device on node ${node}`,
  });
  const latest = (claim: ResourceClaim): ResourceClaim => {
    const found = cluster.objects.resourceClaims.get(keyOf(claim));
    if (found === undefined)
      throw new Error(`resourceclaim.resource.k8s.io "${claim.metadata.name}" not found`);
    return found;
  };
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const waiting = claims.map(latest).find((claim) => !isReadyForBinding(claim));
    if (waiting === undefined) return;
    if (isBindingLate(waiting, clock.now(), timeoutMs))
      throw new Error(`device binding timeout: claim=${waiting.metadata.name}`);
    if (clock.monotonic() >= end) throw new Error('device binding timeout: context deadline exceeded');
    await clock.sleep(Math.min(pollMs, end - clock.monotonic()), signal);
  }
}
