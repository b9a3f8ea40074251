import { describe, expect, it } from 'vitest';
import { compileValuePath, maxPathLength, maxPathSteps } from './value-path.ts';

const object = {
  metadata: { labels: { 'a.b/c': 'x' }, deletionTimestamp: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'Initialized', status: 'True' },
    ],
  },
};

describe('a path', () => {
  it.each<[string, unknown[]]>([
    ['.metadata.labels["a.b/c"]', ['x']],
    ['.metadata.labels', [{ 'a.b/c': 'x' }]],
    ['.metadata.deletionTimestamp', []],
    ['.metadata.absent.deep', []],
    ['.metadata.constructor', []],
    ['.status.conditions.[].type', ['Ready', 'Initialized']],
    ['.status.conditions[1].type', ['Initialized']],
    ['.status.conditions[7].type', []],
    ['.status.conditions.[] | select( .type == "Ready" ) | .status', ['False']],
    ['  .status.conditions[]|select(.type=="Initialized").status ', ['True']],
    ['.metadata.labels[]', ['x']],
  ])('%s', (text, expected) => {
    expect(compileValuePath(text)(object)).toEqual(expected);
  });

  it.each(['', '.', '.a + 1', '.a | length', '.a["b', '.a | select(.b == 1)', 'a', '.a..b', '.a[-1]'])(
    'refuses %s',
    (text) => {
      expect(() => compileValuePath(text)).toThrow('unsupported expression');
    },
  );

  it('has limits', () => {
    expect(() => compileValuePath('.a'.repeat(maxPathSteps))).not.toThrow();
    expect(() => compileValuePath('.a'.repeat(maxPathSteps + 1))).toThrow('at most 64 steps');
    expect(() => compileValuePath(`.${'a'.repeat(maxPathLength)}`)).toThrow('at most 2048 characters');
  });
});
