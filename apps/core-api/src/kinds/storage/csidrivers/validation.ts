import { type Check, fields, oneOf, unique } from '../../shared/checks.ts';

/** Checks the spec of a CSIDriver. */
export const validateCsiDriverSpec: Check = fields({
  fsGroupPolicy: oneOf('File', 'None', 'ReadWriteOnceWithFSType'),
  tokenRequests: unique('audience'),
  volumeLifecycleModes: (value, at) =>
    (Array.isArray(value) ? value : []).flatMap((mode) => oneOf('Persistent', 'Ephemeral')(mode, at)),
});
