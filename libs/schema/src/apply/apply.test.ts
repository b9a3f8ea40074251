import { StatusError, type KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { maxLastAppliedBytes } from './apply-last-applied.ts';
import { trackUpdate } from '../managed-fields/managed-fields-update.ts';
import { applyToy } from './apply-toy.fixture.ts';
import { apiVersion, stored, toy, toySchema } from '../typed-values/typed-testdata.ts';

const second = 1000;
const update = (
  manager: string,
  live: KubeObject | undefined,
  updated: KubeObject,
  now = second,
): KubeObject =>
  stored(
    trackUpdate({ schema: toySchema, apiVersion, manager, live, updated: structuredClone(updated), now }),
  );

const owned = (object: KubeObject): Record<string, unknown> =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((e) => [`${e.manager} ${e.operation}`, e.fieldsV1]),
  );
const statusOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('applyPatch', () => {
  it('creates an object that the manager owns', () => {
    const object = applyToy(
      'alice',
      undefined,
      toy({ map: [{ name: 'x', v: '1' }], set: ['p'], atomic: ['1'], gran: { a: '1' } }),
    );
    expect(object['spec']).toEqual({
      map: [{ name: 'x', v: '1' }],
      set: ['p'],
      atomic: ['1'],
      gran: { a: '1' },
    });
    expect(object.metadata.managedFields).toEqual([
      {
        manager: 'alice',
        operation: 'Apply',
        apiVersion,
        time: '1970-01-01T00:00:01Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:atomic': {},
            'f:gran': { 'f:a': {} },
            'f:map': { 'k:{"name":"x"}': { '.': {}, 'f:name': {}, 'f:v': {} } },
            'f:set': { 'v:"p"': {} },
          },
        },
      },
    ]);
  });

  it('interleaves the lists of two managers', () => {
    const alice = applyToy(
      'alice',
      undefined,
      toy({
        map: [
          { name: 'x', v: '1' },
          { name: 'y', v: '1' },
        ],
        set: ['p', 'q'],
      }),
    );
    const both = applyToy(
      'bob',
      alice,
      toy({
        map: [
          { name: 'z', v: '1' },
          { name: 'x', w: '2' },
        ],
        set: ['r', 'q'],
      }),
    );
    expect(both['spec']).toEqual({
      map: [
        { name: 'z', v: '1' },
        { name: 'x', v: '1', w: '2' },
        { name: 'y', v: '1' },
      ],
      set: ['p', 'r', 'q'],
    });
  });

  it('shares a field that two managers set to the same value, and keeps it when one leaves', () => {
    const alice = applyToy('alice', undefined, toy({ color: 'red', size: 1 }));
    const both = applyToy('bob', alice, toy({ color: 'red' }));
    expect(owned(both)).toEqual({
      'alice Apply': { 'f:spec': { 'f:color': {}, 'f:size': {} } },
      'bob Apply': { 'f:spec': { 'f:color': {} } },
    });
    expect(both.metadata.managedFields?.find((entry) => entry.manager === 'bob')).not.toHaveProperty('time');
    const left = applyToy('alice', both, toy());
    expect(left['spec']).toEqual({ color: 'red' });
    expect(owned(left)).toEqual({ 'bob Apply': { 'f:spec': { 'f:color': {} } } });
  });

  it('removes fields that the manager applied before and no other manager owns', () => {
    const alice = applyToy(
      'alice',
      undefined,
      toy({ color: 'red', map: [{ name: 'x' }, { name: 'y' }], set: ['p'], gran: { a: '1' } }),
    );
    const less = applyToy('alice', alice, toy({ map: [{ name: 'y' }] }));
    expect(less['spec']).toEqual({ map: [{ name: 'y' }] });
    expect(applyToy('alice', less, toy())).not.toHaveProperty('spec');
  });

  it('keeps descendants that an update added', () => {
    const alice = applyToy('alice', undefined, toy({ gran: { a: '1' } }));
    const updated = update('carl', alice, { ...alice, spec: { gran: { a: '1', b: '2' } } });
    expect(applyToy('alice', updated, toy())['spec']).toEqual({ gran: { b: '2' } });
  });

  it('returns 409 with every conflict, by manager', () => {
    const alice = applyToy(
      'alice',
      undefined,
      toy({ atom: { a: '1' }, atomic: ['1'], map: [{ name: 'x', v: '1' }] }),
    );
    const live = update('carl', alice, { ...alice, spec: { ...(alice['spec'] as object), size: 1 } });
    const status = statusOf(() =>
      applyToy(
        'bob',
        live,
        toy({ atomic: ['2'], atom: { b: '2' }, map: [{ name: 'x', v: 'changed' }], size: 2 }),
      ),
    );
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message: [
        'Apply failed with 4 conflicts: conflicts with "alice":',
        '- .spec.atom',
        '- .spec.atomic',
        '- .spec.map[name="x"].v',
        'conflicts with "carl" using example.com/v1:',
        '- .spec.size',
      ].join('\n'),
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.spec.atom' },
          { reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.spec.atomic' },
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "alice"',
            field: '.spec.map[name="x"].v',
          },
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "carl" using example.com/v1',
            field: '.spec.size',
          },
        ],
      },
    });
  });

  it('formats a single conflict in one line, with the subresource', () => {
    const live = applyToy('alice', undefined, { ...toy(), status: { n: 1 } }, { subresource: 'status' });
    expect(statusOf(() => applyToy('bob', live, { ...toy(), status: { n: 2 } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "alice" with subresource "status": .status.n',
    );
  });

  it('takes fields away where forced', () => {
    const alice = applyToy('alice', undefined, toy({ color: 'red', size: 1 }));
    const forced = applyToy('bob', alice, toy({ color: 'blue' }), { force: true });
    expect(forced['spec']).toEqual({ color: 'blue', size: 1 });
    expect(owned(forced)).toEqual({
      'alice Apply': { 'f:spec': { 'f:size': {} } },
      'bob Apply': { 'f:spec': { 'f:color': {} } },
    });
  });

  it('makes before-first-apply the owner of existing fields', () => {
    const live = stored(toy({ color: 'red' }));
    expect(statusOf(() => applyToy('alice', live, toy({ color: 'blue' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.color',
    );
  });

  it('changes neither the live object nor the configuration', () => {
    const live = applyToy('alice', undefined, toy({ color: 'red', map: [{ name: 'x' }] }));
    const applied = toy({ map: [{ name: 'y' }], any: { deep: [{ x: 1 }] } });
    const before = JSON.stringify([live, applied]);
    applyToy('bob', live, applied);
    expect(JSON.stringify([live, applied])).toBe(before);
  });

  const refused: { name: string; applied: KubeObject; code: number; message: string }[] = [
    {
      name: 'another kind',
      applied: { ...toy(), kind: 'Nope' },
      code: 400,
      message: 'invalid object type: example.com/v1, Kind=Nope',
    },
    {
      name: 'managedFields',
      applied: toy({}, { managedFields: [] }),
      code: 400,
      message: 'metadata.managedFields must be nil',
    },
    {
      name: 'duplicate keys',
      applied: toy({ map: [{ name: 'x' }, { name: 'x' }] }, { namespace: 'ns' }),
      code: 500,
      message:
        'failed to create typed patch object (ns/a; example.com/v1, Kind=Toy): .spec.map: duplicate entries for key [name="x"]',
    },
    {
      name: 'duplicate set items',
      applied: toy({ set: ['s', 's'] }),
      code: 500,
      message:
        'failed to create typed patch object (/a; example.com/v1, Kind=Toy): .spec.set: duplicate entries for key [="s"]',
    },
    {
      name: 'a missing key',
      applied: toy({ map: [{ v: 'nokey' }] }),
      code: 500,
      message:
        'failed to create typed patch object (/a; example.com/v1, Kind=Toy): .spec.map: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    },
    {
      name: 'an unknown field',
      applied: toy({ sise: 1 }),
      code: 500,
      message:
        'failed to create typed patch object (/a; example.com/v1, Kind=Toy): .spec.sise: field not declared in schema',
    },
    {
      name: 'several errors',
      applied: toy({ gran: 'string', size: 'x' }),
      code: 500,
      message:
        'failed to create typed patch object (/a; example.com/v1, Kind=Toy): errors:\n  .spec.gran: expected map, got &{string}\n  .spec.size: expected numeric (int or float), got string',
    },
  ];
  it.each(refused)('refuses $name', ({ applied, code, message }) => {
    const status = statusOf(() => applyToy('alice', undefined, applied));
    expect([status.code, status.message, status.reason]).toEqual([
      code,
      message,
      code === 400 ? 'BadRequest' : undefined,
    ]);
  });

  it('takes defaulted keys of list items for the same item', () => {
    const alice = applyToy('alice', undefined, toy({ ports: [{ port: 80, protocol: 'TCP', name: 'http' }] }));
    const both = applyToy('bob', alice, toy({ ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }] }));
    expect(both['spec']).toEqual({
      ports: [
        { port: 80, protocol: 'TCP', name: 'http' },
        { port: 80, protocol: 'UDP' },
      ],
    });
    expect(
      Object.keys(
        (owned(both)['bob Apply'] as Record<string, Record<string, object>>)['f:spec']?.['f:ports'] ?? {},
      ),
    ).toEqual(['k:{"port":80,"protocol":"TCP"}', 'k:{"port":80,"protocol":"UDP"}']);
  });
});

describe('client-side apply and kubectl', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const clientSide = (spec: unknown): KubeObject => {
    const last = JSON.stringify({ apiVersion, kind: 'Toy', metadata: { annotations: {}, name: 'a' }, spec });
    return update('kubectl-client-side-apply', undefined, toy(spec, { annotations: { [annotation]: last } }));
  };

  it('takes ownership of the fields of client-side apply, and updates its annotation', () => {
    const live = clientSide({ color: 'red' });
    const object = applyToy('kubectl', live, toy({ color: 'blue' }));
    expect(object['spec']).toEqual({ color: 'blue' });
    expect(object.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"example.com/v1","kind":"Toy","metadata":{"name":"a"},"spec":{"color":"blue"}}\n',
    );
  });

  it('loses its annotation when the annotations exceed maxLastAppliedBytes', () => {
    const sizes = [maxLastAppliedBytes - 1000, maxLastAppliedBytes].map((size) => {
      const object = applyToy('kubectl', clientSide({}), toy({ color: 'x'.repeat(size) }));
      return object.metadata.annotations?.[annotation]?.length;
    });
    expect(sizes).toEqual([expect.any(Number), undefined]);
  });

  it('conflicts on fields that changed since', () => {
    const live = clientSide({ color: 'red', size: 1 });
    const changed = update('carl', live, { ...live, spec: { color: 'red', size: 2 } });
    expect(statusOf(() => applyToy('kubectl', changed, toy({ color: 'blue', size: 3 }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "carl" using example.com/v1: .spec.size',
    );
  });

  it('does neither for other managers', () => {
    expect(
      statusOf(() => applyToy('alice', clientSide({ color: 'red' }), toy({ color: 'blue' }))).message,
    ).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.com/v1: .spec.color',
    );
  });
});
