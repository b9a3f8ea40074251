import { fieldErrors, isObject, type JsonObject } from '@annex/machinery';
import { all, type Check, fields, nonNegative, oneOf, selector } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

const countOrPercent: Check = (value, at) => {
  if (typeof value === 'number') return nonNegative(value, at);
  const isPercent = typeof value !== 'string' || /^\d+%$/.test(value);
  return isPercent
    ? []
    : [
        invalid(
          at,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      ];
};

/** Converts a budget to the Go value that kube-apiserver prints. */
const goBudget = ({
  minAvailable,
  selector: own,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: JsonObject) => ({
  MinAvailable: minAvailable ?? null,
  Selector: own ?? null,
  MaxUnavailable: maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
});

const atMostAll: Check = (value, at) =>
  typeof value === 'string' && Number.parseInt(value, 10) > 100
    ? [invalid(at, value, 'must not be greater than 100%')]
    : [];

/** Checks the spec of a PodDisruptionBudget. */
export const validateDisruptionBudget = fields(
  {
    minAvailable: all(countOrPercent, atMostAll),
    maxUnavailable: all(countOrPercent, atMostAll),
    selector,
    unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
  },
  (value, at) =>
    isObject(value) && value.minAvailable !== undefined && value.maxUnavailable !== undefined
      ? [invalid(at, goBudget(value), 'minAvailable and maxUnavailable cannot be both set')]
      : [],
);
