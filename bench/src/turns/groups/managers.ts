import { byKey } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { json, maps, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

/** An entry of managed fields: fields of `data` that were applied. */
const entryOf = (m: number, data: Record<string, object>) => ({
  manager: `m${m}`,
  operation: 'Apply',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  time: '2026-01-01T00:00:00Z',
  fieldsV1: { 'f:data': data },
});

export const managers: RequestGroup = {
  name: 'managers',
  rows: () => {
    const own = (m: number, n: number, value = 'x') =>
      json({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'm' },
        data: byKey(n, (i) => [`k-${m}-${i}`, value]),
      });
    const applied = (m: number, n: number, force = '', value = 'x') => ({
      method: 'PATCH',
      path: `${maps}/m?fieldManager=a${m}${force}`,
      type: media.apply,
      body: own(m, n, value),
    });
    return [
      row('first', applied(0, 2000)),
      row('tenth', applied(9, 2000), { before: range(8, (m) => applied(m + 1, 2000)) }),
      row('tenth, changed', applied(9, 1999)),
      row('update', patch(`${maps}/m`, media.merge, { data: byKey(2000, (i) => [`k-3-${i}`, 'z']) })),
      row('conflicts of 2,000', applied(3, 2000), { expected: 409 }),
      row('forced', applied(3, 2000, '&force=true')),
      row('all by one', {
        ...applied(3, 2000, '&force=true'),
        body: json({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          data: byKey(20_000, (i) => [`k-${Math.floor(i / 2000)}-${i % 2000}`, 'y']),
        }),
      }),
      row(
        'conflicts of 20,000',
        {
          ...applied(50, 2000),
          body: json({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            data: byKey(20_000, (i) => [`k-${Math.floor(i / 2000)}-${i % 2000}`, 'w']),
          }),
        },
        { expected: 409 },
      ),
      row('hundredth', applied(100, 20), { before: range(50, (m) => applied(m + 20, 20)) }),
      row('delete', remove(`${maps}/m`)),
      row(
        'sent managedFields',
        post(maps, {
          metadata: {
            name: 'm',
            managedFields: range(9, (m) =>
              entryOf(
                m,
                byKey(3000, (i) => [`f:k-${m}-${i}`, {}]),
              ),
            ),
          },
          data: byKey(3000, (i) => [`k-${i}`, 'x']),
        }),
      ),
      row(
        'many sent entries',
        post(maps, {
          metadata: {
            name: 'n',
            managedFields: range(10_000, (m) => entryOf(m, { [`f:k-${m}`]: {} })),
          },
        }),
      ),
      row('apply over many entries', {
        method: 'PATCH',
        path: `${maps}/n?fieldManager=x`,
        type: media.apply,
        body: json({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } }),
      }),
      row('delete the others', remove(`${maps}`)),
    ];
  },
};
