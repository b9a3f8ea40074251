import { FieldPath, fieldErrorText, maxFieldErrors } from '@annex/machinery';
import { expect, it } from 'vitest';
import { containerResources } from './resources.ts';

const at = FieldPath.of('resources');
const texts = (value: unknown) => containerResources(value, at).map(fieldErrorText);

it.each<[string, object, string[]]>([
  [
    'a negative amount',
    { limits: { cpu: '-1' } },
    ['resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'a request above its limit',
    { limits: { cpu: '1' }, requests: { cpu: '2' } },
    ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    'an extended resource without a limit',
    { requests: { 'a.b/c': '1' } },
    ['resources.limits: Required value: Limit must be set for non overcommitable resources'],
  ],
  [
    'a request of an extended resource below its limit',
    { limits: { 'a.b/c': '3' }, requests: { 'a.b/c': '2' } },
    ['resources.requests: Invalid value: "2": must be equal to a.b/c limit of 3'],
  ],
  [
    'a request of a resource of Kubernetes below its limit, and one without a limit',
    { limits: { 'kubernetes.io/a': '3' }, requests: { 'kubernetes.io/a': '2', 'kubernetes.io/b': '0.5' } },
    [],
  ],
  [
    'an extended resource with the name of one that a quota counts',
    { limits: { 'requests.a/b': '1' } },
    [
      'resources.limits[requests.a/b]: Invalid value: "requests.a/b": doesn\'t follow extended resource name standard',
    ],
  ],
  [
    'huge pages alone',
    { limits: { 'hugepages-2Mi': '1' }, requests: { 'hugepages-2Mi': '1' } },
    ['resources: Forbidden: HugePages require cpu or memory'],
  ],
  [
    'huge pages with memory',
    { limits: { 'hugepages-2Mi': '1', memory: '1' }, requests: { 'hugepages-2Mi': '1' } },
    [],
  ],
])('%s', (_what, value, expected) => {
  expect(texts(value)).toEqual(expected);
});

it('stops after the errors that are reported', () => {
  const limits = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`-${i}`, '-1']));
  expect(containerResources({ limits }, at).length).toBeLessThan(3 * maxFieldErrors);
});
