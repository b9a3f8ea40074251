import type { Cell } from '@annex/kinds';
import { at } from '../../shared/cells.ts';

export const parentRef: Cell = (object) => {
  const { group, resource, namespace, name } = (at(object, 'spec.parentRef') ?? {}) as Record<string, string>;
  if (resource === undefined) return '<none>';
  const type = group ? `${resource}.${group}` : resource;
  return [type.toLowerCase(), namespace, name].filter(Boolean).join('/');
};
