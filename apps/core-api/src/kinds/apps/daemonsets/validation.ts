import { fieldErrors, isObject } from '@annex/machinery';
import { type Check, childOf, fields, nonNegative } from '../../shared/checks.ts';
import { selectsItsPods } from '../shared/selector.ts';
import { amount, atMostAll, countOrPercent, goStrategy } from '../shared/update-strategy.ts';

const { invalid } = fieldErrors;

const updateStrategy: Check = (value, at) => {
  const strategy = isObject(value) ? value : {};
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate')
    return [fieldErrors.notSupported(at, goStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = childOf(strategy, 'rollingUpdate');
  const path = at.child('rollingUpdate');
  const errors = [
    ...countOrPercent(maxUnavailable, path.child('maxUnavailable')),
    ...countOrPercent(maxSurge, path.child('maxSurge')),
    ...atMostAll(maxUnavailable, path.child('maxUnavailable')),
    ...atMostAll(maxSurge, path.child('maxSurge')),
  ];
  const [down, up] = [amount(maxUnavailable), amount(maxSurge)];
  if (down !== 0 && up !== 0) {
    errors.push(invalid(path.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (down === 0 && up === 0) {
    errors.push(fieldErrors.required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
};

/** Checks a DaemonSet. */
export const validateDaemonSet: Check = fields({
  spec: fields(
    {},
    selectsItsPods('daemonset', 'DaemonSet'),
    fields({
      minReadySeconds: nonNegative,
      updateStrategy,
      revisionHistoryLimit: nonNegative,
    }),
  ),
});
