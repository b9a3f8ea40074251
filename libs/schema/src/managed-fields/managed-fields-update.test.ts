import type { KubeObject, ManagedFieldsEntry } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import { trackUpdate, type UpdateTracking } from './managed-fields-update.ts';
import { apiVersion, stored, struct, text, toy, toySchema } from '../typed-values/typed-testdata.ts';

const track = (
  manager: string,
  live: KubeObject | undefined,
  updated: KubeObject,
  more: Partial<UpdateTracking> = {},
): KubeObject =>
  stored(
    trackUpdate({
      schema: toySchema,
      apiVersion,
      manager,
      live,
      updated: structuredClone(updated),
      now: 0,
      ...more,
    }),
  );
const entry = (more: ManagedFieldsEntry): ManagedFieldsEntry => ({
  operation: 'Update',
  apiVersion,
  time: '1970-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  ...more,
});

describe('trackUpdate', () => {
  it('makes the creator the owner of an object, except its identity and fields that the server sets', () => {
    const created = track(
      'carl',
      undefined,
      stored(toy({ map: [{ name: 'x' }], set: ['s'], atomic: ['a'] }, { labels: { l: '1' } })),
    );
    expect(created.metadata.managedFields).toEqual([
      entry({
        manager: 'carl',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
          'f:spec': {
            '.': {},
            'f:atomic': {},
            'f:map': { '.': {}, 'k:{"name":"x"}': { '.': {}, 'f:name': {} } },
            'f:set': { '.': {}, 'v:"s"': {} },
          },
        },
      }),
    ]);
  });

  it('makes the updater the only owner of changed fields', () => {
    const created = track('carl', undefined, toy({ map: [{ name: 'x' }], set: ['s'] }));
    const updated = track('dora', created, toy({ map: [{ name: 'y', v: '1' }], set: ['s', 't'] }), {
      now: 5000,
    });
    expect(updated.metadata.managedFields).toEqual([
      entry({
        manager: 'carl',
        fieldsV1: { 'f:spec': { '.': {}, 'f:map': {}, 'f:set': { '.': {}, 'v:"s"': {} } } },
      }),
      entry({
        manager: 'dora',
        time: '1970-01-01T00:00:05Z',
        fieldsV1: {
          'f:spec': {
            'f:map': { 'k:{"name":"y"}': { '.': {}, 'f:name': {}, 'f:v': {} } },
            'f:set': { 'v:"t"': {} },
          },
        },
      }),
    ]);
  });

  it('keeps managedFields if the object is unchanged', () => {
    const created = track('carl', undefined, toy({ color: 'red' }));
    const same = track('dora', created, created, { now: 9000 });
    expect(same).toEqual(created);
  });

  it('does not track objects without managedFields', () => {
    expect(track('dora', stored(toy({ size: 1 })), toy({ size: 2 })).metadata).not.toHaveProperty(
      'managedFields',
    );
  });

  it.each([[[]], [[{}]]])('clears managedFields if the client sends %j', (managedFields) => {
    const created = track('carl', undefined, toy({ color: 'red' }));
    const cleared = track('dora', created, toy({ color: 'blue' }, { managedFields }));
    expect(cleared.metadata).not.toHaveProperty('managedFields');
  });

  it('uses managedFields from the client, and ignores those that do not decode', () => {
    const created = track('carl', undefined, toy({ color: 'red' }));
    const mine = entry({ manager: 'mine', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:color': {} } } });
    expect(
      track('dora', created, toy({ color: 'red' }, { managedFields: [mine] })).metadata.managedFields,
    ).toEqual([mine]);
    const invalid = { ...mine, operation: 'Nope' } as unknown as ManagedFieldsEntry;
    expect(
      track('dora', created, toy({ color: 'red' }, { managedFields: [invalid] })).metadata.managedFields,
    ).toEqual(created.metadata.managedFields);
  });

  it('ignores managedFields that are sent to a subresource', () => {
    const created = track('carl', undefined, toy({ color: 'red' }));
    const updated = track(
      'dora',
      created,
      { ...toy({ color: 'red' }, { managedFields: [] }), status: { n: 1 } },
      { subresource: 'status' },
    );
    expect(updated.metadata.managedFields?.map((e) => [e.manager, e.subresource])).toEqual([
      ['carl', undefined],
      ['dora', 'status'],
    ]);
  });

  it('gives no ownership of fields that the endpoint does not write', () => {
    const created = track(
      'carl',
      undefined,
      { ...toy({ size: 1 }), status: { n: 1 } },
      { resetFields: FieldSet.of(['status']) },
    );
    expect(created.metadata.managedFields?.[0]?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:size': {} } });
  });

  it.each([
    ['by default', undefined, ['dora', 'eve', 'fay']],
    ['in its own version only', new Set(['example.com/v1']), ['dora']],
  ])('keeps the owners of such fields: %s', (_, resetVersions, kept) => {
    const live = { ...toy({ size: 1 }), status: { n: 1 } };
    const writer = { subresource: 'status', fieldsV1: { 'f:status': { 'f:n': {} } } };
    live.metadata.managedFields = [
      entry({ ...writer, manager: 'dora' }),
      entry({ ...writer, manager: 'eve', apiVersion: 'example.com/v0' }),
      entry({ ...writer, manager: 'fay', apiVersion: 'example.com/v0' }),
    ];
    const resetFields = FieldSet.of(['status']);
    const updated = track('carl', live, { ...live, status: { n: 2 } }, { resetFields, resetVersions });
    expect(updated.metadata.managedFields?.map(({ manager }) => manager)).toEqual(kept);
  });

  it('sorts Apply before Update, then by whole seconds and manager', () => {
    const fields = { 'f:spec': { 'f:color': {} } };
    const managedFields = [
      entry({ manager: 'z', time: '1970-01-01T00:00:01Z', fieldsV1: fields }),
      entry({ manager: 'b', time: '1970-01-01T00:00:01Z', fieldsV1: fields }),
      entry({ manager: 'c', time: '1970-01-01T00:00:00Z', fieldsV1: fields }),
      entry({ manager: 'y', operation: 'Apply', time: '1970-01-01T00:00:09Z', fieldsV1: fields }),
    ];
    const live = stored(toy({ color: 'red' }, { managedFields }));
    expect(track('x', live, live).metadata.managedFields?.map((e) => e.manager)).toEqual([
      'y',
      'c',
      'b',
      'z',
    ]);
  });

  // The limit: maxUpdateManagers.
  it('keeps the entries of ten updaters and merges the oldest into ancient-changes', () => {
    let live = track('m0', undefined, toy({ free: { k0: '' } }));
    for (let i = 1; i < 12; i++) {
      const free = { ...((live['spec'] as { free: object }).free as object), [`k${i}`]: '' };
      live = track(`m${i}`, live, toy({ free }), { now: i * 1000 });
    }
    expect(live.metadata.managedFields?.map((e) => e.manager)).toEqual([
      'ancient-changes',
      'm3',
      'm4',
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
      'm10',
      'm11',
    ]);
    expect(live.metadata.managedFields?.[0]).toEqual(
      entry({
        manager: 'ancient-changes',
        time: '1970-01-01T00:00:02Z',
        fieldsV1: { 'f:spec': { '.': {}, 'f:free': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } } },
      }),
    );
  });

  it('drops managedFields of objects that do not match their schema', () => {
    const created = track('carl', undefined, toy({ color: 'red' }));
    expect(track('dora', created, toy({ color: 1 })).metadata).not.toHaveProperty('managedFields');
  });

  it('gives the creator no ownership of fields that Go types of built-in kinds always serialize', () => {
    const schema = struct({
      metadata: { type: 'object' },
      spec: struct(
        { list: { type: 'array', items: text }, pod: struct({ image: text }, { default: {} }) },
        { default: {}, required: ['list'] },
      ),
    });
    const created = track(
      'carl',
      undefined,
      { metadata: {}, spec: { list: ['a'], pod: { image: 'i' } } },
      { schema, typed: true },
    );
    expect(created.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': { 'f:list': {}, 'f:pod': { 'f:image': {} } },
    });
  });
});
