import type { KubeObject, Passes } from '@annex/machinery';
import { expect, it } from 'vitest';
import { trackUpdateInPasses } from '../managed-fields/managed-fields-update.ts';
import { apiVersion, toySchema } from '../typed-values/typed-testdata.ts';
import { applyPatchInPasses } from './apply.ts';
import { type AsyncVersionConverter, withConversion } from './apply-conversion.ts';
import { applyToy } from './apply-toy.fixture.ts';

const toy = (spec: object): KubeObject =>
  ({ apiVersion, kind: 'Toy', metadata: { name: 'a' }, spec }) as KubeObject;
const request = { schema: toySchema, apiVersion, kind: 'Toy', manager: 'b', force: true, now: 2000 };

function pausesOf(passes: Passes<unknown>): number {
  for (let pauses = 0; ; pauses++) if (passes.next().done === true) return pauses;
}

it('an apply pauses between its passes over the object', () => {
  const live = applyToy('a', undefined, toy({ color: 'x' }));
  expect(
    pausesOf(applyPatchInPasses({ ...request, live, applied: toy({ color: 'y' }) })),
  ).toBeGreaterThanOrEqual(10);
});

it('an update pauses between its passes over the object', () => {
  const live = applyToy('a', undefined, toy({ color: 'x' }));
  const tracking = { ...request, live, updated: { ...live, spec: { color: 'y' } } as KubeObject };
  expect(pausesOf(trackUpdateInPasses(tracking))).toBeGreaterThanOrEqual(6);
});

it('a run in slices is repeated with the result of a conversion that takes time', async () => {
  const live = applyToy('a', undefined, toy({ color: 'x' }));
  const requested: string[] = [];
  const convert: AsyncVersionConverter = (object, version) => {
    requested.push(version);
    return Promise.resolve({ object, schema: toySchema });
  };
  let runs = 0;
  let pauses = 0;
  const other = { ...live, metadata: { ...live.metadata, managedFields: otherVersion(live) } } as KubeObject;
  const { object } = await withConversion(
    convert,
    (known) => (
      runs++,
      applyPatchInPasses({ ...request, live: other, applied: toy({ color: 'y' }), convert: known })
    ),
    () => (pauses++, undefined),
  );
  expect([object.spec, new Set(requested)]).toEqual([{ color: 'y' }, new Set(['example.com/v9'])]);
  expect(runs).toBe(1 + requested.length);
  expect(pauses).toBeGreaterThan(10);
});

const otherVersion = ({ metadata }: KubeObject) =>
  metadata.managedFields?.map((entry) => ({ ...entry, apiVersion: 'example.com/v9' }));
