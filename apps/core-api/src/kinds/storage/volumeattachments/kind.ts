import { allMetadata, statusEndpoint } from '@annex/kinds';
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
  strategy: {
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
    returnsDeleted: true,
  },
  cells: {
    Attacher: textCell('spec.attacher'),
    PV: textCell('spec.source.persistentVolumeName'),
    Node: textCell('spec.nodeName'),
    Attached: boolCell('status.attached'),
  },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
