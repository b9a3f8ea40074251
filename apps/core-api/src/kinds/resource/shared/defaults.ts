import type { Default, TypeDefaults } from '@annex/kinds';

const deviceRequest: Default = (request) => {
  if (!request.allocationMode) request.allocationMode = 'ExactCount';
  if (request.allocationMode === 'ExactCount' && !request.count) request.count = 1;
};

/** The defaults of claims for devices, also in templates. */
export const claimDefaults: TypeDefaults = {
  'io.k8s.api.resource.v1.ExactDeviceRequest': deviceRequest,
  'io.k8s.api.resource.v1.DeviceSubRequest': deviceRequest,
};
