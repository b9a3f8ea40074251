import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLiveFiles, nullLogger } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import { liveAccounts, liveRules } from './live-setting.ts';

const kubeconfig = (server: string): string =>
  JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
  });

it('the server of a changed kubeconfig is allowed instead of the previous one; an invalid kubeconfig changes nothing', async () => {
  using folder = tempFolder();
  const file = join(folder.path, 'config');
  writeFileSync(file, kubeconfig('https://first'));
  const warnings: string[] = [];
  const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
  const files = createLiveFiles(log, 5);
  const rules = await liveRules({ kubeconfig: file, allowDestinations: ['always:1'] }, files, log);
  const allowed = () =>
    ['first:443', 'second:6443', 'always:1'].filter((to) => {
      const [host = '', port] = to.split(':');
      return rules().allowsName({ host, port: Number(port) });
    });
  expect(allowed()).toEqual(['first:443', 'always:1']);
  writeFileSync(file, kubeconfig('https://second:6443'));
  await expect.poll(allowed).toEqual(['second:6443', 'always:1']);
  writeFileSync(file, '{}');
  // A file can be read while it is written.
  await expect.poll(() => warnings).not.toEqual([]);
  expect(allowed()).toEqual(['second:6443', 'always:1']);
  files.close();
});

it('users of a changed file can sign in, and others no longer; an invalid file changes nothing', async () => {
  using folder = tempFolder();
  const file = join(folder.path, 'users');
  writeFileSync(file, 'jane:a');
  const warnings: string[] = [];
  const files = createLiveFiles({ ...nullLogger, warn: (message) => void warnings.push(message) }, 5);
  const accounts = await liveAccounts(file, files);
  expect(accounts().has('jane', 'a')).toBe(true);
  writeFileSync(file, 'john:b');
  await expect.poll(() => [accounts().has('jane', 'a'), accounts().has('john', 'b')]).toEqual([false, true]);
  writeFileSync(file, 'nobody');
  await expect.poll(() => warnings).not.toEqual([]);
  expect(accounts().has('john', 'b')).toBe(true);
  files.close();
});
