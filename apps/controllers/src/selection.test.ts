import { describe, expect, it } from 'vitest';
import { controllerErrors, controllerNames, selectControllers } from './selection.ts';

const all = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'resourcequota-controller',
  'unserved-workloads-controller',
];

describe('--controllers', () => {
  it('has the names of kube-controller-manager, and one of its own', () =>
    expect(controllerNames).toEqual(all));

  it.each<[string, string[], string[]]>([
    ['an empty list runs none', [], []],
    ['an empty word runs none', [''], []],
    ['a star runs all', ['*'], all],
    ['a name runs one', ['namespace-controller'], ['namespace-controller']],
    ['a minus leaves one out', ['*', '-garbage-collector-controller'], all.toSpliced(1, 1)],
    ['the star may come last', ['-garbage-collector-controller', '*'], all.toSpliced(1, 1)],
    ['a minus alone runs none', ['-namespace-controller'], []],
    ['the first entry applies', ['namespace-controller', '-namespace-controller'], ['namespace-controller']],
    ['older names are accepted', ['garbagecollector', '-namespace'], ['garbage-collector-controller']],
  ])('%s', (_, selectors, names) => {
    expect(controllerErrors(selectors)).toEqual([]);
    expect(selectControllers(selectors).map(({ name }) => name)).toEqual(names);
  });

  it.each(['foo', '-foo'])('rejects %s and lists the known names', (selector) => {
    expect(controllerErrors(['*', selector])).toEqual([
      `"foo" is not in the list of known controllers: ${all.join(', ')}`,
    ]);
  });
});
