import { allMetadata, statusEndpoint } from '@annex/kinds';
import { FieldPath } from '@annex/machinery';
import { boolCell, textCell } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { goAttachmentSpec, validateAttachment, validateAttachmentStatus } from './validation.ts';

export const volumeAttachments: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  defaults: { 'io.k8s.api.storage.v1.VolumeError': { time: null } },
  validation: { object: validateAttachment, update: immutable({ path: 'spec', print: goAttachmentSpec }) },
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
  subresources: {
    status: {
      ...statusEndpoint({ keeps: allMetadata }),
      validate: ({ status }) => validateAttachmentStatus(status, FieldPath.of('status')),
    },
  },
};
