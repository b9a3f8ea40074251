import { isReason, type KubeObject } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldSetFromJson } from '../managed-fields/field-set-json.ts';
import { trackUpdate } from '../managed-fields/managed-fields-update.ts';
import { compareTyped } from '../typed-values/typed-compare.ts';
import { allFields } from '../typed-values/typed-all-fields.ts';
import { toFieldSet } from '../typed-values/typed-field-set.ts';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { applyToy } from './apply-toy.fixture.ts';
import { apiVersion, stored, toy, toySchema } from '../typed-values/typed-testdata.ts';

const short = fc.constantFrom('x', 'y', 'z"<é');
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] });
const any: fc.Arbitrary<unknown> = fc.oneof(
  short,
  fc.constant(null),
  fc.array(short, { maxLength: 2 }),
  some({ a: short, b: some({ c: short }) }),
);

const specs = some({
  size: fc.nat(2),
  color: short,
  map: fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), v: short, w: short }, { requiredKeys: ['name'] }),
    {
      selector: (item) => item.name,
      maxLength: 3,
    },
  ),
  ports: fc.uniqueArray(
    fc.record(
      { port: fc.nat(2), protocol: fc.constantFrom('TCP', 'UDP'), name: short },
      { requiredKeys: ['port'] },
    ),
    { selector: (item) => `${item.port} ${item.protocol ?? 'TCP'}`, maxLength: 3 },
  ),
  set: fc.uniqueArray(short, { maxLength: 3 }),
  atomic: fc.array(short, { maxLength: 2 }),
  gran: some({ a: short, b: short }),
  atom: some({ a: short, b: short }),
  free: some({ k: short, __proto__: short }),
  any: some({ a: any, b: any }),
  intOrString: fc.oneof(fc.nat(2), short),
  template: some({
    apiVersion: short,
    kind: short,
    metadata: some({ labels: some({ l: short }) }),
    spec: any,
  }),
});
const objects: fc.Arbitrary<KubeObject> = fc
  .record({ spec: specs, labels: some({ l: short, m: short }) }, { requiredKeys: ['spec'] })
  .map(({ spec, labels }) =>
    toy(
      structuredClone(spec),
      labels === undefined ? {} : { labels: { ...labels } as Record<string, string> },
    ),
  );

const type = objectMergeType(toySchema);
const owns = (object: KubeObject, manager: string) =>
  fieldSetFromJson(object.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1 ?? {});
const content = ({ metadata, ...rest }: KubeObject) => ({ ...rest, labels: metadata.labels });

/** Returns a value without nulls, empty maps and lists, and the order of lists. */
function essence(value: unknown): unknown {
  if (typeof value !== 'object') return value;
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(essence).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return items.length > 0 ? items : undefined;
  }
  const members = Object.entries(value).flatMap(([key, member]) => {
    const said = essence(member);
    return said === undefined ? [] : [[key, said] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const identity = FieldSet.of(['apiVersion'], ['kind'], ['metadata'], ['metadata', 'name']);

describe('the laws of apply', () => {
  // Few names and values: many of these objects have the shape of another one, whose fields are cached.
  it('a creator and an applier own the fields of their object, whatever was written before', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const value = structuredClone(object) as never;
        const before = { apiVersion, kind: 'Toy', metadata: {} } as never;
        const { added, modified } = compareTyped(before, value, type);
        const tracking = {
          schema: toySchema,
          apiVersion,
          manager: 'carl',
          updated: structuredClone(object),
          now: 0,
        };
        expect(String(owns(trackUpdate(tracking), 'carl'))).toBe(
          String(added.union(modified).difference(identity)),
        );
        const applied = owns(applyToy('alice', undefined, object), 'alice');
        expect(String(applied)).toBe(String(toFieldSet(value, type).difference(identity)));
      }),
      { numRuns: samples(250) },
    );
  });

  it('applying twice changes nothing', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('bob', applyToy('alice', undefined, first), second, { force: true });
        expect(applyToy('bob', live, second, { now: 5000 })).toEqual(live);
      }),
    );
  });

  it('the last of two forced applies has all of its fields', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('bob', applyToy('alice', undefined, first), second, { force: true });
        const missing = toFieldSet(second as never, type).difference(allFields(live as never, type));
        expect(String(missing)).toBe('');
      }),
    );
  });

  it('applying the result of a read changes only ownership', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('bob', applyToy('alice', undefined, first), second, { force: true });
        const { managedFields: _, ...metadata } = live.metadata;
        const again = applyToy('carl', live, { ...live, metadata });
        expect(content(again)).toEqual(content(live));
        for (const manager of ['alice', 'bob'])
          expect(owns(again, manager).equals(owns(live, manager))).toBe(true);
      }),
    );
  });

  it('an apply without force removes no ownership', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('alice', undefined, first);
        try {
          const both = applyToy('bob', live, second);
          expect(owns(both, 'alice').equals(owns(live, 'alice'))).toBe(true);
          const kept = allFields(live as never, type).difference(allFields(both as never, type));
          expect(String(kept.intersection(owns(live, 'alice')))).toBe('');
        } catch (error) {
          if (!isReason(error, 'Conflict')) throw error;
        }
      }),
    );
  });

  it('an empty apply removes the fields that only its manager applied', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('alice', undefined, first);
        let both: KubeObject;
        try {
          both = applyToy('bob', live, second);
        } catch (error) {
          if (isReason(error, 'Conflict')) return;
          throw error;
        }
        const left = applyToy('bob', both, toy());
        expect(owns(left, 'bob').isEmpty).toBe(true);
        expect(essence(content(left))).toEqual(essence(content(live)));
      }),
    );
  });

  it('an update gives ownership of the differences to its manager only', () => {
    fc.assert(
      fc.property(objects, objects, (first, second) => {
        const live = applyToy('alice', undefined, first);
        const updated = stored(
          trackUpdate({
            schema: toySchema,
            apiVersion,
            manager: 'carl',
            live,
            updated: structuredClone(stored(second)),
            now: 0,
          }),
        );
        expect(String(owns(updated, 'alice').difference(owns(live, 'alice')))).toBe('');
        expect(String(owns(updated, 'alice').intersection(owns(updated, 'carl')))).toBe('');
        const again = trackUpdate({
          schema: toySchema,
          apiVersion,
          manager: 'dora',
          live: updated,
          updated: structuredClone(updated),
          now: 9,
        });
        expect(again).toEqual(updated);
      }),
    );
  });
});
