import { expect, it } from 'vitest';
import { decisions } from '../cycle/decision.fixture.ts';

const prefix = 'initializing profiles: creating profile for scheduler name default-scheduler: ';

it.each<[string, object, string]>([
  [
    'a plugin that does not exist',
    { filter: { enabled: [{ name: 'Nope' }] } },
    'FilterPlugin "Nope" does not exist',
  ],
  [
    'the same at all points',
    { multiPoint: { enabled: [{ name: 'Nope' }] } },
    'PreFilterPlugin "Nope" does not exist',
  ],
  [
    'a point that a plugin does not implement',
    { score: { enabled: [{ name: 'NodeName' }] } },
    'plugin "NodeName" does not extend ScorePlugin plugin',
  ],
  [
    'a plugin that is enabled twice',
    { filter: { enabled: [{ name: 'NodeName' }, { name: 'NodeName' }] } },
    'plugin "NodeName" already registered as "FilterPlugin"',
  ],
  [
    'no plugin that binds',
    { bind: { disabled: [{ name: '*' }] } },
    'at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
  ],
  [
    'no plugin that sorts',
    { queueSort: { disabled: [{ name: '*' }] } },
    'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
  ],
  [
    'a negative weight',
    { score: { enabled: [{ name: 'ImageLocality', weight: -5 }] } },
    'score plugins: total score of Score plugins could overflow',
  ],
])('%s is refused', async (_name, plugins, text) => {
  await expect(decisions([], JSON.stringify({ plugins }))).rejects.toThrow(`${prefix}${text}`);
});

it('arguments are checked when the plugin is created', async () => {
  const pluginConfig = [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'Best' } } }];
  await expect(decisions([], JSON.stringify({ pluginConfig }))).rejects.toThrow(
    `${prefix}initializing plugin "NodeResourcesFit": scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`,
  );
});

it('a plugin that is enabled at a point comes before those of all points', async () => {
  const { profile } = await decisions(
    [],
    '{"plugins":{"score":{"enabled":[{"name":"ImageLocality","weight":5}]}}}',
  );
  expect(profile.at('score')[0]?.name).toBe('ImageLocality');
  expect(profile.weightOf('ImageLocality')).toBe(5);
  expect(profile.weightOf('TaintToleration')).toBe(3);
});
