import { fieldErrors } from '@annex/machinery';
import { type Check, childOf, each, fields, oneOf, required, selector } from '../../shared/checks.ts';

/** The modes in which a volume may be accessed. */
export const accessModes = required(
  each(oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod')),
  'at least 1 access mode is required',
);

/** The spec of a claim. */
export const claimSpec: Check = (value, at) =>
  fields({
    selector,
    accessModes,
    resources: (resources, where) =>
      childOf(resources, 'requests').storage === undefined
        ? [fieldErrors.required(where.key('storage'))]
        : [],
    volumeMode: oneOf('Block', 'Filesystem'),
  })(value, at);
