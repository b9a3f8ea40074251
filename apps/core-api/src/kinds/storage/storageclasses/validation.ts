import { fieldErrors, validateQualifiedName } from '@annex/machinery';
import { type Check, childOf, each, fields, objectsOf, oneOf, required } from '../../shared/checks.ts';
import { validateDriverName, validateParameters } from '../shared/validation.ts';

const { invalid } = fieldErrors;

const topology: Check = (value, at) =>
  objectsOf(childOf({ value }, 'value').matchLabelExpressions).flatMap(({ key, values }, index) => {
    const where = at.child('matchLabelExpressions').index(index);
    return [
      ...required()(values, where.child('values')),
      ...validateQualifiedName(String(key ?? '')).map((why) => invalid(where.child('key'), key ?? '', why)),
    ];
  });

/** Checks a StorageClass. */
export const validateStorageClass: Check = fields({
  provisioner: required(validateDriverName),
  parameters: validateParameters,
  reclaimPolicy: oneOf('Delete', 'Retain'),
  volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
  allowedTopologies: each(topology),
});
