import { fieldErrors, isObject } from '@annex/machinery';
import { type Check, fields, isMissing } from '../../shared/checks.ts';
import { validateSubdomain } from '../shared/validation.ts';

/** Checks the spec of a VolumeAttachment. */
export const validateAttachmentSpec: Check = fields({
  attacher: (value, at) => (isMissing(value) ? [fieldErrors.required(at)] : validateSubdomain(value, at)),
  source(value, at) {
    const { inlineVolumeSpec, persistentVolumeName } = isObject(value) ? value : {};
    const provided = [inlineVolumeSpec, persistentVolumeName].filter((one) => !isMissing(one));
    const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
    if (provided.length === 0) return [fieldErrors.required(at, text)];
    return provided.length > 1 ? [fieldErrors.forbidden(at, text)] : [];
  },
  nodeName: validateSubdomain,
});
