import { boolCell, textCell } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateAttachmentSpec } from './validation.ts';

export const volumeAttachments: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  defaults: { 'io.k8s.api.storage.v1.VolumeError': { time: null } },
  validation: { object: inSpec(validateAttachmentSpec), update: immutable('spec') },
  cells: {
    Attacher: textCell('spec.attacher'),
    PV: textCell('spec.source.persistentVolumeName'),
    Node: textCell('spec.nodeName'),
    Attached: boolCell('status.attached'),
  },
};
