import { fieldErrors } from '@annex/machinery';
import { type Check, each, fields, limited } from '../../shared/checks.ts';
import { isExtendedResource } from '../../shared/pod-spec/standard-resources.ts';
import { deviceConfiguration } from '../shared/device-configuration.ts';
import { deviceSelectors } from '../shared/device-selectors.ts';

const mostConfigurations = 32;

/** Checks the name of a resource of containers that a class provides: one of a domain that is not Kubernetes. */
const extendedResourceName: Check = (value, at) =>
  typeof value !== 'string' || isExtendedResource(value)
    ? []
    : [fieldErrors.invalid(at, value, 'must be a valid extended resource name')];

/** Checks the spec of a DeviceClass. */
export const validateDeviceClassSpec: Check = fields({
  selectors: deviceSelectors,
  config: limited(mostConfigurations, each(deviceConfiguration)),
  extendedResourceName,
});
