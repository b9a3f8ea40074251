import type { Cell } from '@annex/kinds';
import type { KubeObject } from '@annex/machinery';
import { at, type Cells, listAt, textCell } from '../../shared/cells.ts';

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status.conditions').find((condition) => condition.type === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : key === 'kubernetes.io/role' ? [value] : [],
  );
  return [...new Set(roles.filter(Boolean))].sort().join(',') || '<none>';
}

const nodeAddress =
  (type: string): Cell =>
  (node) =>
    listAt(node, 'status.addresses').find((address) => address.type === type)?.address ?? '<none>';

const kernel: Cell = (node) => {
  const architecture = at(node, 'status.nodeInfo.architecture');
  const version = String(textCell('status.nodeInfo.kernelVersion', '<unknown>')(node, 0));
  return architecture ? `${version} (${String(architecture)})` : version;
};

export const nodeColumns: Cells = {
  Status: nodeStatus,
  Roles: nodeRoles,
  Version: textCell('status.nodeInfo.kubeletVersion'),
  'Internal-IP': nodeAddress('InternalIP'),
  'External-IP': nodeAddress('ExternalIP'),
  'OS-Image': textCell('status.nodeInfo.osImage', '<unknown>'),
  'Kernel-Version': kernel,
  'Container-Runtime': textCell('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
};
