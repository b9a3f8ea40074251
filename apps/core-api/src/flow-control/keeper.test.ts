import { memoryDeps } from '@annex/app-testkit';
import type { KubeObject } from '@annex/machinery';
import { encodeStored } from '@annex/server';
import { FakeClock } from '@annex/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FlowControlKeeper } from './keeper.ts';

const [schemas, levels] = ['/registry/flowschemas/', '/registry/prioritylevelconfigurations/'];

let clock: FakeClock;
let deps: ReturnType<typeof memoryDeps>;
let keeper: FlowControlKeeper;

beforeEach(async () => {
  clock = new FakeClock();
  deps = { ...memoryDeps(), clock };
  keeper = new FlowControlKeeper(deps, true);
  await keeper.start();
});

afterEach(async () => {
  await keeper.stop();
  await deps.feed.close();
  await deps.store.close();
});

const stored = async (key: string) => {
  const { entry } = await deps.store.get(key);
  return entry && { object: JSON.parse(Buffer.from(entry.value).toString()) as KubeObject & Fields, entry };
};
interface Fields {
  spec: Record<string, unknown>;
  status: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}
const change = async (key: string, edit: (object: KubeObject & Fields) => void) => {
  const { object, entry } = (await stored(key))!;
  edit(object);
  await deps.store.update(key, encodeStored(object), entry.modRevision);
};
const names = async (prefix: string) =>
  (await deps.store.list(prefix)).entries.map(({ key }) => key.slice(prefix.length));

it('the bootstrap objects exist after the start', async () => {
  expect(await names(levels)).toEqual([
    'catch-all',
    'exempt',
    'global-default',
    'leader-election',
    'node-high',
    'system',
    'workload-high',
    'workload-low',
  ]);
  expect(await names(schemas)).toHaveLength(11);
});

it('FlowSchemas are created with their condition, in one write', async () => {
  const { entries } = await deps.store.list(schemas);
  for (const { key, createRevision, modRevision } of entries) {
    const { status } = (await stored(key))!.object;
    expect(status.conditions).toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }]);
    expect(modRevision).toBe(createRevision);
  }
});

it('a deleted object is created again within a minute', async () => {
  await deps.store.delete(`${schemas}probes`);
  await vi.waitFor(() => expect(deps.feed.objects(schemas).get(`${schemas}probes`)).toBeUndefined());
  await clock.advance(60_000);
  await vi.waitFor(async () => expect(await stored(`${schemas}probes`)).toBeDefined());
});

it.each<[string, string, (object: KubeObject & Fields) => void, boolean]>([
  ['a mandatory spec is restored', 'catch-all', () => undefined, true],
  ['a suggested spec is restored while its annotation permits it', 'system', () => undefined, true],
  [
    'a suggested spec is kept if its annotation says so',
    'system',
    ({ metadata }) => Object.assign(metadata, { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'f' } }),
    false,
  ],
  [
    'a suggested spec without annotation is kept after its first change',
    'system',
    ({ metadata }) => Object.assign(metadata, { annotations: {}, generation: 2 }),
    false,
  ],
])('%s', async (_what, name, edit, isRestored) => {
  const key = levels + name;
  const before = (await stored(key))!.object.spec;
  await change(key, (object) => {
    object.spec.limited = { nominalConcurrencyShares: 7 };
    edit(object);
  });
  const { modRevision } = (await stored(key))!.entry;
  await vi.waitFor(() => expect(deps.feed.objects(levels).get(key)?.modRevision).toBe(modRevision));
  await clock.advance(60_000);
  await vi.waitFor(async () => {
    const { object } = (await stored(key))!;
    if (isRestored) expect(object.spec).toEqual(before);
    else
      expect(object.metadata.annotations).toMatchObject({
        'apf.kubernetes.io/autoupdate-spec': expect.stringMatching(/^f/),
      });
  });
  expect((await stored(key))!.object.spec).toEqual(
    isRestored ? before : { ...before, limited: { nominalConcurrencyShares: 7 } },
  );
});

it('the condition Dangling follows the priority level', async () => {
  const condition = async () => (await stored(`${schemas}probes`))!.object.status.conditions?.[0];
  await vi.waitFor(async () =>
    expect(await condition()).toMatchObject({ type: 'Dangling', status: 'False', reason: 'Found' }),
  );
  await deps.store.delete(`${levels}exempt`);
  await vi.waitFor(async () =>
    expect(await condition()).toMatchObject({
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "exempt" but there is no such object',
    }),
  );
});

it('the condition of a FlowSchema with managers has one', async () => {
  const manager = {
    manager: 'client',
    operation: 'Update' as const,
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  };
  await change(`${schemas}probes`, (object) => {
    const fieldsV1 = { 'f:spec': { 'f:priorityLevelConfiguration': { 'f:name': {} } } };
    object.metadata.managedFields = [{ ...manager, fieldsType: 'FieldsV1', fieldsV1 }];
    object.spec.priorityLevelConfiguration = { name: 'x' };
  });
  await vi.waitFor(async () =>
    expect((await stored(`${schemas}probes`))!.object.metadata.managedFields).toMatchObject([
      { manager: 'api-priority-and-fairness-config-consumer-v1', operation: 'Apply', subresource: 'status' },
      manager,
    ]),
  );
});

it('without priority and fairness, there are the objects and no conditions', async () => {
  const others = { ...memoryDeps(), clock };
  const objectsOnly = new FlowControlKeeper(others, false);
  await objectsOnly.start();
  await objectsOnly.stop();
  const { entries } = await others.store.list(schemas);
  expect(entries.map(({ value }) => (JSON.parse(Buffer.from(value).toString()) as Fields).status)).toEqual(
    Array.from({ length: 11 }, () => ({})),
  );
  await others.feed.close();
  await others.store.close();
});
