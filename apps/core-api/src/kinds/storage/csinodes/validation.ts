import { type Check, each, fields, nonNegative, required, unique } from '../../shared/checks.ts';
import { validateDriverName } from '../shared/validation.ts';

const nodeDriver = fields({
  name: required(validateDriverName),
  nodeID: required(),
  allocatable: fields({ count: nonNegative }),
});

/** Checks the spec of a CSINode. */
export const validateCsiNodeSpec: Check = fields({
  drivers: (value, at) => [...each(nodeDriver)(value, at), ...unique('name')(value, at)],
});
