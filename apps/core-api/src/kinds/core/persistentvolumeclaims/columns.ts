import type { Cell } from '@annex/kinds';
import { at, type Cells, textCell } from '../../shared/cells.ts';
import { accessModesText, volumeColumns } from '../shared/volumes.ts';

const whenBound =
  (cell: Cell): Cell =>
  (claim, now) =>
    at(claim, 'spec.volumeName') ? cell(claim, now) : '';

export const claimColumns: Cells = {
  ...volumeColumns,
  Volume: textCell('spec.volumeName'),
  Capacity: whenBound(textCell('status.capacity.storage', '0')),
  'Access Modes': whenBound((claim) => accessModesText(at(claim, 'status.accessModes'))),
};
