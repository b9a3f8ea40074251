import type { JsonObject } from '@annex/machinery';
import { expect, test } from 'vitest';
import { builtinSchema } from './schema.ts';

const schema = builtinSchema(
  '',
  'v1',
  { group: '', version: 'v1', kind: 'Pod' },
  { 'io.k8s.api.core.v1.Container': { imagePullPolicy: 'Always' } },
);
const pod = (containers: number): JsonObject => ({
  spec: {
    containers: Array.from({ length: containers }, () => ({ args: [], ports: [{ containerPort: 1 }] })),
  },
});

function passes(object: JsonObject): number {
  const setting = schema.defaultsInPasses?.(object);
  for (let count = 1; ; count++) if (setting?.next().done !== false) return count;
}

test('the defaults of long lists are set in passes, and are those of short ones', () => {
  const [short, long] = [pod(1), pod(3000)];
  expect(passes(long)).toBeGreaterThan(passes(short) + 10);
  const containers = (object: JsonObject) => (object.spec as { containers: JsonObject[] }).containers;
  const [one] = containers(short);
  expect(one).toMatchObject({ imagePullPolicy: 'Always', ports: [{ protocol: 'TCP' }] });
  expect(one).not.toHaveProperty('args');
  expect(new Set(containers(long).map((item) => JSON.stringify(item)))).toEqual(
    new Set([JSON.stringify(one)]),
  );
});
