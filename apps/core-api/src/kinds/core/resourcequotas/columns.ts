import type { Cell } from '@annex/kinds';
import { getOwn, type KubeObject } from '@annex/machinery';
import { at } from '../../shared/cells.ts';

/** Returns the used amounts of the hard limits: of requests, or of limits. */
export const quotaCell =
  (limits: boolean): Cell =>
  (object) => {
    const hard = (at(object, 'status.hard') ?? {}) as Record<string, string>;
    return Object.keys(hard)
      .sort()
      .filter((name) => name.startsWith('limits.') === limits)
      .map(
        (name) => `${name}: ${String(at(object, 'status.used') ? usedOf(object, name) : '0')}/${hard[name]}`,
      )
      .join(', ');
  };

const usedOf = (object: KubeObject, name: string) =>
  getOwn((at(object, 'status.used') ?? {}) as Record<string, string>, name) ?? '0';
