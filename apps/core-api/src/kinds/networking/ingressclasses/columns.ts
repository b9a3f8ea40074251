import type { Cell } from '@annex/kinds';
import { at } from '../../shared/cells.ts';

export const ingressParameters: Cell = (object) => {
  const { kind, apiGroup, name } = (at(object, 'spec.parameters') ?? {}) as Record<string, unknown>;
  if (kind === undefined) return '<none>';
  return `${String(kind)}${apiGroup === undefined ? '' : `.${String(apiGroup)}`}/${String(name)}`;
};
