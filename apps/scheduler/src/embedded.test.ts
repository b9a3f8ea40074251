import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics, nullLogger, systemClock } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { createSchedulers } from './embedded.ts';
import { Attempts } from './explain/attempts.ts';

const configuration = (plugin: string): string =>
  JSON.stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [{ schedulerName: 'mine', plugins: { filter: { enabled: [{ name: plugin }] } } }],
  });

it.each([
  ['Mine', undefined],
  [
    'Other',
    '--schedulers: initializing profiles: creating profile for scheduler name mine: FilterPlugin "Other" does not exist',
  ],
])('a profile that enables the plugin %s of a module', async (plugin, error) => {
  using folder = tempFolder();
  const [module, file] = [join(folder.path, 'plugin.mjs'), join(folder.path, 'scheduler.json')];
  writeFileSync(module, `export const a = { name: 'Mine', create: () => ({ filter: () => undefined }) };`);
  writeFileSync(file, configuration(plugin));
  const deps = { clock: systemClock, log: nullLogger, metrics: createMetrics() };
  const created = createSchedulers(
    deps,
    { schedulers: [file], schedulerPlugin: [module] },
    { server: 'http://127.0.0.1:1' },
    new Attempts(),
  ).then(
    async (part) => void (await part.stop?.()),
    ({ message }: Error) => message,
  );
  expect(await created).toBe(error);
});
