import type { JsonObject, KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { maxStageDelayMs } from './stage-delay.ts';
import { fileVersion, maxStages, readStages } from './stage-file.ts';
import { chooseByWeight } from './stage.ts';

const stage = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: fileVersion,
  kind: 'Stage',
  metadata: { name: 's' },
  spec: { resourceRef: { apiGroup: 'v1', kind: 'Pod' }, transition: 'Exit', ...spec },
  ...more,
});
const errorsOf = (...documents: JsonObject[]): string[] => {
  const errors: string[] = [];
  readStages(documents, errors);
  return errors;
};
const read = (spec: JsonObject) => {
  const errors: string[] = [];
  const [found] = readStages([stage(spec)], errors).transitions;
  expect(errors).toEqual([]);
  return found!;
};
const pod = (metadata: JsonObject, more: JsonObject = {}) => ({ metadata, ...more }) as unknown as KubeObject;

describe('a selector', () => {
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
  });
  it.each<[string, JsonObject, KubeObject, boolean]>([
    ['matches labels', { matchLabels: { a: 'b' } }, pod({ labels: { a: 'b', c: 'd' } }), true],
    ['requires labels', { matchLabels: { a: 'b' } }, pod({}), false],
    ['requires own labels', { matchLabels: { constructor: 'b' } }, pod({ labels: {} }), false],
    ['matches annotations', { matchAnnotations: { a: 'b' } }, pod({ annotations: { a: 'b' } }), true],
    ['finds an existing field', expression('.metadata.name', 'Exists'), pod({ name: 'x' }), true],
    ['finds an absent field', expression('.metadata.deletionTimestamp', 'DoesNotExist'), pod({}), true],
    [
      'compares values',
      expression('.status.phase', 'In', 'Running'),
      pod({}, { status: { phase: 'Running' } }),
      true,
    ],
    [
      'excludes values',
      expression('.status.phase', 'NotIn', 'Running'),
      pod({}, { status: { phase: 'Running' } }),
      false,
    ],
    ['excludes values of absent fields', expression('.status.phase', 'NotIn', 'Running'), pod({}), true],
    [
      'has expressions in their newer form',
      { matchExpressions: [{ jq: { expression: '.metadata.name', operator: 'In', values: ['x'] } }] },
      pod({ name: 'x' }),
      true,
    ],
    [
      'requires everything',
      { matchLabels: { a: 'b' }, ...expression('.x', 'Exists') },
      pod({ labels: { a: 'b' } }),
      false,
    ],
  ])('%s', (_, selector, object, expected) => {
    expect(read({ selector }).matches(object)).toBe(expected);
  });
});

describe('a delay', () => {
  const now = Date.UTC(2026, 0, 1);
  const annotated = pod({ annotations: { d: '2s', j: '4s' }, deletionTimestamp: '2026-01-01T00:00:05Z' });
  it.each<[string, JsonObject, number, number | undefined]>([
    ['is a duration', { durationMilliseconds: 100 }, 0.5, 100],
    ['is random up to its jitter', { durationMilliseconds: 100, jitterDurationMilliseconds: 300 }, 0.5, 200],
    ['is at most its jitter', { durationMilliseconds: 100, jitterDurationMilliseconds: 50 }, 0.5, 50],
    ['comes from a field', { durationFrom: { expressionFrom: '.metadata.annotations["d"]' } }, 0, 2000],
    [
      'has a default for objects without the field',
      { durationMilliseconds: 7, durationFrom: { jq: { expression: '.metadata.annotations["none"]' } } },
      0,
      7,
    ],
    [
      'has a jitter from a field',
      { durationMilliseconds: 0, jitterDurationFrom: { expressionFrom: '.metadata.annotations["j"]' } },
      0.5,
      2000,
    ],
    [
      'is the time until a time',
      { durationFrom: { expressionFrom: '.metadata.deletionTimestamp' } },
      0,
      5000,
    ],
    ['is limited', { durationMilliseconds: 2 * maxStageDelayMs }, 0, maxStageDelayMs],
  ])('%s', (_, delay, random, expected) => {
    expect(read({ delay }).delayMs(annotated, now, () => random)).toBe(expected);
  });
  it('is the default one if there is none', () => {
    expect(read({}).delayMs(annotated, now, () => 0)).toBeUndefined();
  });
});

describe('a weight', () => {
  it('selects among stages that match', () => {
    const [light, heavy] = [
      read({ weight: 1 }),
      read({ weightFrom: { expressionFrom: '.metadata.weight' } }),
    ];
    const object = pod({ weight: '3' });
    const chosen = [0, 0.2, 0.3, 0.99].map((random) => chooseByWeight([light, heavy], object, () => random));
    expect(chosen.map((one) => (one === light ? 'light' : 'heavy'))).toEqual([
      'light',
      'light',
      'heavy',
      'heavy',
    ]);
  });
  it('may be 0 for all', () => {
    const both = [read({}), read({})];
    expect(chooseByWeight(both, pod({}), () => 0.9)).toBe(both[0]);
  });
});

describe('a file', () => {
  it.each<[string, JsonObject, string]>([
    [
      'of another version',
      stage({}, { apiVersion: 'v1' }),
      'kind: must be a Stage of annex/v1alpha1 or kwok.x-k8s.io/v1alpha1',
    ],
    ['with an unknown field', stage({ dely: {} }), 'spec.dely: unknown field'],
    [
      'with an unknown transition',
      stage({ transition: 'Fly' }),
      'spec.transition: of a Pod must be one of Sandbox, Pull, ',
    ],
    [
      'with another kind',
      stage({ resourceRef: { kind: 'Job' } }),
      'spec.resourceRef: must be a Pod or a Node of v1',
    ],
    [
      'with a negative delay',
      stage({ delay: { durationMilliseconds: -1 } }),
      'spec.delay.durationMilliseconds: must be a whole number',
    ],
    [
      'with a path that is not supported',
      stage({ selector: { matchExpressions: [{ key: '.a + 1', operator: 'Exists' }] } }),
      'spec.selector.matchExpressions[0].key: unsupported expression',
    ],
    [
      'with an expression of CEL',
      stage({ selector: { matchExpressions: [{ cel: { expression: 'true' } }] } }),
      'spec.selector.matchExpressions[0].cel: unknown field',
    ],
    [
      'with an unknown operator',
      stage({ selector: { matchExpressions: [{ key: '.a', operator: 'Gt' }] } }),
      'operator: must be one of In, NotIn, Exists, DoesNotExist',
    ],
    [
      'with an exit code that is too large',
      stage({ failure: { exitCode: 256 } }),
      'spec.failure.exitCode: must be at most 255',
    ],
    [
      'with a failure where nothing can fail',
      stage({ transition: 'Restart', failure: {} }),
      'spec.failure: is not supported for Restart',
    ],
    [
      'with nothing to do',
      { ...stage({}), spec: { resourceRef: { kind: 'Pod' } } },
      'spec.next: or steps, or transition, is required',
    ],
  ])('%s is refused', (_, document, expected) => {
    expect(errorsOf(document)[0]).toMatch(/^Stage "s": /);
    expect(errorsOf(document).join('\n')).toContain(expected);
  });

  it('has a limit', () => {
    expect(errorsOf(...Array.from({ length: maxStages + 1 }, () => stage({})))).toEqual([
      'there are more than 1000 stages',
    ]);
  });
});
