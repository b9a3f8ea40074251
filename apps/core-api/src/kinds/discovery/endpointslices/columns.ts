import type { Cell } from '@annex/kinds';
import { listAt, someOf } from '../../shared/cells.ts';

export const slicePorts: Cell = (object) =>
  someOf(
    listAt(object, 'ports').map(({ port, name }) => String(port ?? name ?? '*')),
    3,
    '<unset>',
  );

export const sliceEndpoints: Cell = (object) =>
  someOf(
    listAt(object, 'endpoints').flatMap(({ addresses }) =>
      Array.isArray(addresses) ? addresses.map(String) : [],
    ),
    3,
    '<unset>',
  );
