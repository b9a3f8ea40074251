import type { Cell } from '@annex/kinds';
import { at, selectorText } from '../../shared/cells.ts';

/** The label selector in the spec. */
export const selectorCell: Cell = (object) => selectorText(at(object, 'spec.selector'));

/** Returns the ready and the desired replicas. */
export const readyCell: Cell = (object) =>
  `${Number(at(object, 'status.readyReplicas') ?? 0)}/${Number(at(object, 'spec.replicas') ?? 0)}`;
