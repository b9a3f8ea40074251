import { expect, it } from 'vitest';
import { featureGateErrors } from './feature-gates.ts';

it.each([
  ['SidecarContainers', 'true'],
  ['kube:SidecarContainers', 'T'],
  ['SchedulerAsyncPreemption', 'true'],
  // Nothing in a scheduler reads it.
  ['APIServerIdentity', 'false'],
  ['AllAlpha', 'false'],
])('accepts %s=%s', (name, text) => {
  expect(featureGateErrors({ [name]: text })).toEqual([]);
});

it.each([
  [
    'SidecarContainers',
    'false',
    'cannot set feature gate SidecarContainers to false, feature is locked to true',
  ],
  ['SchedulerAsyncPreemption', 'false', 'feature gate SchedulerAsyncPreemption=false is not supported'],
  ['GangScheduling', '1', 'feature gate GangScheduling=true is not supported'],
  ['Foo', 'true', 'unrecognized feature gate: Foo'],
  ['wardle:Foo', 'true', 'component not registered: wardle'],
  ['__proto__', 'true', 'unrecognized feature gate: __proto__'],
  [
    'AllAlpha',
    'maybe',
    'invalid value of AllAlpha=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  ['AllAlpha', 'true', 'AllAlpha=true is not supported'],
  ['AllBeta', 'false', 'AllBeta=false is not supported'],
])('refuses %s=%s: %s', (name, text, error) => {
  expect(featureGateErrors(Object.fromEntries([[name, text]]))).toEqual([error]);
});
