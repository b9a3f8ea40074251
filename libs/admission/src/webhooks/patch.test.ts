import type { ResourceKind } from '@annex/kinds';
import { finish, type KubeObject, maxObjectMembers, type Passes } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';
import { expect, test } from 'vitest';
import type { Invocation } from './invocation.ts';
import { patchedBy, readPatch } from './patch.ts';

const kind = {
  behavior: { typed: false },
  schema: { applyDefaults: () => undefined },
} as unknown as ResourceKind;
const invocation = { kind, webhook: { spec: { name: 'a' } } } as Invocation;
const attributes = { kind, operation: 'UPDATE' } as AdmissionAttributes;
const object: KubeObject = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a' }, spec: {} };

function counted<T>(passes: Passes<T>): { value: T; count: number } {
  for (let count = 1; ; count++) {
    const { done, value } = passes.next();
    if (done === true) return { value, count };
  }
}

test('the patch of a webhook is read and applied in passes', () => {
  const operations = Array.from({ length: 5000 }, (_, i) => ({ op: 'add', path: `/spec/k${i}`, value: i }));
  const read = counted(readPatch(JSON.stringify(operations), invocation));
  expect(read.count).toBeGreaterThan(5);
  const patched = counted(
    patchedBy(
      read.value,
      { allowed: true, warnings: [], auditAnnotations: {} },
      invocation,
      attributes,
      object,
    ),
  );
  expect(patched.count).toBeGreaterThan(5000);
  expect(Object.keys(patched.value.spec ?? {})).toHaveLength(5000);
});

test.each([
  ['is nested a million times', '['.repeat(1e6), 'exceeded max depth'],
  [
    'adds an object of too many members',
    `[{"op":"add","path":"/a","value":{${Array.from({ length: maxObjectMembers + 1 }, (_, i) => `"k${i}":1`).join(',')}}}]`,
    `one object has more than ${maxObjectMembers} members`,
  ],
])('a patch that %s is refused', (_what, text, expected) => {
  expect(() => finish(readPatch(text, invocation))).toThrow(
    `received undecodable patch in webhook response: ${expected}`,
  );
});
