import { fieldErrors, isObject } from '@annex/machinery';
import { type Check, childOf, fields, nonNegative } from '../../shared/checks.ts';
import { selectsItsPods } from '../shared/selector.ts';
import { amount, atMostAll, countOrPercent, goStrategy } from '../shared/update-strategy.ts';

const { invalid } = fieldErrors;

const updateStrategy: Check = (value, at) => {
  const strategy = isObject(value) ? value : {};
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'Recreate') {
    const text = "may not be specified when strategy `type` is 'Recreate'";
    return rolling === undefined ? [] : [fieldErrors.forbidden(at.child('rollingUpdate'), text)];
  }
  if (strategy.type !== 'RollingUpdate')
    return [fieldErrors.notSupported(at, goStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = childOf(strategy, 'rollingUpdate');
  const path = at.child('rollingUpdate');
  const stuck = amount(maxUnavailable) === 0 && amount(maxSurge) === 0;
  return [
    ...countOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...countOrPercent(maxSurge, path.child('maxSurge')),
    ...(stuck
      ? [invalid(path.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(maxUnavailable, path.child('maxUnavailable')),
  ];
};

const progressDeadline: Check = (value, at) => {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = isObject(value) ? value : {};
  const path = at.child('progressDeadlineSeconds');
  if (deadline === undefined) return [];
  const late = Number(deadline) <= Number(minReadySeconds);
  return [
    ...nonNegative(deadline, path),
    ...(late ? [invalid(path, deadline, 'must be greater than minReadySeconds')] : []),
  ];
};

/** Checks a Deployment. */
export const validateDeployment: Check = fields({
  spec: fields(
    { replicas: nonNegative },
    selectsItsPods('deployment', 'ReplicaSet'),
    fields({
      strategy: updateStrategy,
      minReadySeconds: nonNegative,
      revisionHistoryLimit: nonNegative,
    }),
    progressDeadline,
  ),
});
