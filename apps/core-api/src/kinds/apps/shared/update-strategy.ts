import { fieldErrors, isObject, type JsonObject, validatePercent } from '@annex/machinery';
import { type Check, nonNegative } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

// A value that is not a number counts as 0.
export const amount = (value: unknown) =>
  typeof value === 'string' ? Number.parseInt(value, 10) || 0 : Number(value ?? 0);

export const countOrPercent: Check = (value, at) =>
  typeof value === 'string'
    ? validatePercent(value).map((why) => invalid(at, value, why))
    : nonNegative(value, at);

export const atMostAll: Check = (value, at) =>
  typeof value === 'string' && amount(value) > 100
    ? [invalid(at, value, 'must not be greater than 100%')]
    : [];

/** Converts a strategy to the Go value that kube-apiserver prints. */
export const goStrategy = ({ type, rollingUpdate }: JsonObject) => ({
  Type: type ?? '',
  RollingUpdate: isObject(rollingUpdate) ? goRollingUpdate(rollingUpdate) : null,
});

const goRollingUpdate = ({ partition, maxUnavailable, maxSurge }: JsonObject) =>
  partition === undefined
    ? { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 }
    : { Partition: partition, MaxUnavailable: maxUnavailable ?? null };
