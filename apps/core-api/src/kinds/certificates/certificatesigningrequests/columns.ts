import type { Cell } from '@annex/kinds';
import { humanDuration, type KubeObject } from '@annex/machinery';
import { at, type Cells, listAt, textCell } from '../../shared/cells.ts';

function requestStatus(request: KubeObject): string {
  const has = (type: string) =>
    listAt(request, 'status.conditions').some((condition) => condition.type === type);
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const issued = at(request, 'status.certificate') ? ',Issued' : '';
  return `${decided}${has('Failed') ? ',Failed' : ''}${issued}`;
}

const requestedDuration: Cell = (request) => {
  const seconds = at(request, 'spec.expirationSeconds');
  return seconds === undefined ? '<none>' : humanDuration(Number(seconds) * 1000);
};

export const requestColumns: Cells = {
  SignerName: textCell('spec.signerName', '<none>'),
  Requestor: textCell('spec.username'),
  RequestedDuration: requestedDuration,
  Condition: requestStatus,
};
