import { asJson, statusEndpoint } from '@annex/kinds';
import { type KubeObject, nameIsLongName } from '@annex/machinery';
import { labelsFromTemplate } from '../../shared/labels.ts';
import { namesPods, templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { at, labelsText, numberCell, templateColumns } from '../../shared/cells.ts';
import { scale } from '../../shared/scale.ts';
import { fieldText } from '../../shared/selectable-fields.ts';
import { both } from '../../shared/warnings.ts';
import { replicasStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { replicationControllerDefaults } from './defaults.ts';
import { validateReplicationController } from './validation.ts';

const { write } = statusEndpoint();

/** Writes a status. A controller that loses its labels gets those of its template, as when it is read. */
function writeStatus(sent: KubeObject, parent: KubeObject): KubeObject {
  const written = write(sent, parent);
  labelsFromTemplate(asJson(written));
  return written;
}

export const replicationControllers: BuiltinKind = {
  group: '',
  resource: 'replicationcontrollers',
  defaults: replicationControllerDefaults,
  validation: { object: validateReplicationController },
  strategy: {
    validateName: nameIsLongName,
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    orphansByDefault: true,
  },
  warnings: both(namesPods, templateWarnings('spec', 'template')),
  cells: {
    Desired: numberCell('spec.replicas'),
    Current: numberCell('status.replicas'),
    Ready: numberCell('status.readyReplicas'),
    ...templateColumns('spec.template', (controller) => labelsText(at(controller, 'spec.selector'))),
  },
  selectableFields: new Map([['status.replicas', fieldText('status.replicas', '0')]]),
  subresources: { scale, status: { ...replicasStatus, write: writeStatus } },
};
