import { expect, it } from 'vitest';
import { defaultFeatureGates, readFeatureGates } from './feature-gates.ts';

const changed = (sent: Record<string, string>): string[] => {
  const { gates, errors } = readFeatureGates(sent);
  expect(errors).toEqual([]);
  const on = [...gates].filter((name) => !defaultFeatureGates.has(name)).map((name) => `+${name}`);
  return [...on, ...[...defaultFeatureGates].filter((name) => !gates.has(name)).map((name) => `-${name}`)];
};

it.each<[Record<string, string>, string[]]>([
  [{ SidecarContainers: 'true', 'kube:SchedulerAsyncPreemption': 'T' }, []],
  [{ SchedulerPopFromBackoffQ: 'false' }, ['-SchedulerPopFromBackoffQ']],
  [{ DRAPrioritizedList: '0', APIServerIdentity: 'true' }, ['-DRAPrioritizedList']],
  [{ AllAlpha: 'false' }, []],
])('%j changes %j', (sent, gates) => {
  expect(changed(sent)).toEqual(gates);
});

it.each<[Record<string, string>, string]>([
  [
    { SidecarContainers: 'false' },
    'cannot set feature gate SidecarContainers to false, feature is locked to true',
  ],
  [{ GenericWorkload: '1' }, 'feature gate GenericWorkload=true is not supported'],
  [
    { DRAResourceClaimGranularStatusAuthorization: 'false', DRAResourceClaimDeviceStatus: 'false' },
    'DRADeviceBindingConditions is enabled, but depends on features that are disabled: [DRAResourceClaimDeviceStatus]',
  ],
  [
    { WorkloadAwarePreemption: 'true' },
    'WorkloadAwarePreemption is enabled, but depends on features that are disabled: [GangScheduling]',
  ],
  [{ Foo: 'true' }, 'unrecognized feature gate: Foo'],
  [{ 'wardle:Foo': 'true' }, 'component not registered: wardle'],
  [Object.fromEntries([['__proto__', 'true']]), 'unrecognized feature gate: __proto__'],
  [
    { AllAlpha: 'maybe' },
    'invalid value of AllAlpha=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  [{ AllAlpha: 'true' }, 'feature gate AllAlpha=true is not supported'],
])('%j is refused: %s', (sent, error) => {
  expect(readFeatureGates(sent).errors).toEqual([error]);
});
