import { finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { aggregatedRules } from './clusterrole-aggregation.ts';

const rule = (verb: string) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });
const role = (name: string, label: string, ...verbs: string[]) => ({
  metadata: { name, labels: { [label]: 'true' } },
  rules: verbs.map(rule),
});
const selector = (label: string) => ({ matchLabels: { [label]: 'true' } });
const aggregated = (...labels: string[]) => ({
  metadata: { name: 'all', labels: { a: 'true' } },
  aggregationRule: { clusterRoleSelectors: labels.map(selector) },
  rules: [rule('own')],
});

describe('the rules of an aggregated role', () => {
  const roles = [role('z', 'a', 'get'), role('b', 'a', 'list', 'get'), role('c', 'b', 'watch')];

  it.each([
    ['come from the roles of a selector, by name, without duplicates', ['a'], ['list', 'get']],
    ['come from the selectors in their order', ['b', 'a'], ['watch', 'list', 'get']],
    ['are empty if nothing is selected', ['c'], []],
  ])('%s', (_, labels, verbs) => {
    const all = aggregated(...labels);
    expect(finish(aggregatedRules(all, [all, ...roles]))).toEqual(verbs.map(rule));
  });
});
