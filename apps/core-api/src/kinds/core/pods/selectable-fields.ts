import { at, listAt } from '../../shared/cells.ts';
import { type FieldSelectors, fieldSelectors, fieldText } from '../../shared/selectable-fields.ts';

const nodeName = fieldText('spec.nodeName');

export const podSelectors: FieldSelectors = new Map([
  ...fieldSelectors('spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
  ...fieldSelectors('status.phase', 'status.nominatedNodeName'),
  ['spec.nodeName', nodeName],
  ['spec.host', nodeName],
  ['spec.hostNetwork', fieldText('spec.hostNetwork', 'false')],
  ['status.podIP', (pod) => String(listAt(pod, 'status.podIPs')[0]?.ip ?? at(pod, 'status.podIP') ?? '')],
  // kube-apiserver accepts the label, and no pod has a value for it.
  ['status.podIPs', () => ''],
]);
