import { type FieldError, finish, type JsonObject, type Passes } from '@annex/machinery';
import { expect, it } from 'vitest';
import { crdOf, withProperties } from '../crd.fixture.ts';
import type { Crd } from '../crd/crd.ts';
import { crdDefaults } from '../crd/defaults.ts';
import { internalCrd } from '../crd/internal-form.ts';
import { validateCrd, validateCrdUpdate } from './validate-crd.ts';

const count = 500;
const each = (of: (index: number) => JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, of(i)]));

function validated(spec: JsonObject): Passes<FieldError[]> {
  const crd = structuredClone(crdOf({}, { schema: withProperties({ spec }) })) as Crd;
  finish(crdDefaults(crd as never));
  return validateCrd(internalCrd(crd));
}

/** Counts the places where the work can pause. */
function pausesOf(passes: Passes<FieldError[]>): number {
  for (let pauses = 0; ; pauses++) if (passes.next().done === true) return pauses;
}

it.each<[string, JsonObject]>([
  ['property', { type: 'object', properties: each(() => ({ type: 'string' })) }],
  ['invalid pattern', { type: 'object', properties: each(() => ({ type: 'string', pattern: '(' })) }],
  ['default', { type: 'object', properties: each((i) => ({ type: 'string', default: i })) }],
  [
    'rule',
    {
      type: 'string',
      'x-kubernetes-validations': Array.from({ length: count }, () => ({ rule: 'self == ' })),
    },
  ],
])('validation can pause at each %s', (_what, spec) => {
  expect(pausesOf(validated(spec))).toBeGreaterThan(count);
});

it('validation of an update can also pause between the comparisons with the stored schema', () => {
  const crd = structuredClone(crdOf()) as Crd;
  finish(crdDefaults(crd as never));
  const both = internalCrd(crd);
  expect(pausesOf(validateCrdUpdate(both, both)) - pausesOf(validateCrd(both))).toBeGreaterThanOrEqual(6);
});
