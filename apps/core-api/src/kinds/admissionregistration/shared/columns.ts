import type { Cell } from '@annex/kinds';
import { isObject } from '@annex/machinery';
import { at, type Cells, selectorText, textCell } from '../../shared/cells.ts';

/** The kind of the parameters of a policy. */
export const paramKindCell: Cell = (object) =>
  isObject(at(object, 'spec.paramKind'))
    ? `${String(at(object, 'spec.paramKind.apiVersion') ?? '')}/${String(at(object, 'spec.paramKind.kind') ?? '')}`
    : '<unset>';
const paramRef: Cell = (object) => {
  const { name, namespace, selector } = (at(object, 'spec.paramRef') ?? {}) as Record<string, unknown>;
  if (name) return `${String(namespace || '*')}/${String(name)}`;
  return selector === undefined ? '<unset>' : selectorText(selector);
};

/** The columns of both kinds of bindings. */
export const bindingColumns: Cells = { PolicyName: textCell('spec.policyName'), ParamRef: paramRef };
