import { fieldErrors } from '@annex/machinery';
import { type Check, childOf, fields, oneOf, selector } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { validateAccessModes } from '../shared/volumes.ts';

/** Checks the spec of a claim. */
export const validateClaimSpec: Check = (value, at) =>
  fields({
    selector,
    accessModes: validateAccessModes,
    resources: (resources, where) =>
      childOf(resources, 'requests').storage === undefined
        ? [fieldErrors.required(where.key('storage'))]
        : [],
    volumeMode: oneOf('Block', 'Filesystem'),
  })(value, at);

const immutableText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

/** Checks that an update does not change immutable members of the spec of a claim. */
export const validateClaimUpdate = immutable(
  ...['accessModes', 'selector', 'storageClassName', 'volumeMode'].map((name) => ({
    path: `spec.${name}`,
    text: immutableText,
  })),
);
