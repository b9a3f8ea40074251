import { type KubeObject, type ManagedFieldsEntry, parseJson } from '@annex/machinery';
import { nullLogger, systemClock } from '@annex/runtime';
import { encodeStored } from '@annex/server';
import { createMemoryStore } from '@annex/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteTokenUse } from './token-uses.ts';

const store = createMemoryStore();
const key = '/registry/secrets/ci/s';
const clock = { ...systemClock, now: () => Date.UTC(2030, 0, 2, 13) };
const note = noteTokenUse({ store, clock, log: nullLogger });
const label = 'kubernetes.io/legacy-token-last-used';

afterAll(() => store.close());

let written = 0;
beforeAll(async () => {
  const secret: KubeObject = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 's', namespace: 'ci' } };
  written = await store.create(key, encodeStored(secret));
});

async function stored(): Promise<{ secret: KubeObject; revision: number }> {
  const { entry } = await store.get(key);
  const secret = parseJson(Buffer.from(entry?.value ?? '').toString()) as unknown as KubeObject;
  const revision = entry?.modRevision ?? 0;
  return {
    secret: { ...secret, metadata: { ...secret.metadata, resourceVersion: String(revision) } },
    revision,
  };
}

const entry = (time: string, fields: object): ManagedFieldsEntry => ({
  manager: 'kube-apiserver',
  operation: 'Update',
  apiVersion: 'v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:labels': fields } },
});

test('a Secret is labelled with the day of the first use of its token, by kube-apiserver', async () => {
  await note((await stored()).secret);
  const { metadata } = (await stored()).secret;
  expect(metadata.labels).toEqual({ [label]: '2030-01-02' });
  expect(metadata.managedFields).toEqual([entry('2030-01-02T13:00:00Z', { '.': {}, [`f:${label}`]: {} })]);
});

test.each([['2030-01-02'], ['2030-01-03']])(
  'a Secret with the label %s is not written again',
  async (day) => {
    const { secret, revision } = await stored();
    await note({ ...secret, metadata: { ...secret.metadata, labels: { [label]: day } } });
    expect((await stored()).revision).toBe(revision);
  },
);

test('a Secret with an earlier day is written again, and its manager keeps its fields', async () => {
  const { secret } = await stored();
  await note({ ...secret, metadata: { ...secret.metadata, labels: { [label]: '2029-12-31', a: 'b' } } });
  const { metadata } = (await stored()).secret;
  expect(metadata.labels).toEqual({ [label]: '2030-01-02', a: 'b' });
  expect(metadata.managedFields).toEqual([entry('2030-01-02T13:00:00Z', { '.': {}, [`f:${label}`]: {} })]);
});

test('a Secret with a concurrent change stays unchanged', async () => {
  const { secret, revision } = await stored();
  await note({ ...secret, metadata: { ...secret.metadata, labels: {}, resourceVersion: String(written) } });
  expect((await stored()).revision).toBe(revision);
});
