import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { startProcesses } from '../runners/compose-runner.ts';

const player = new URL('../../../conformance/src/main.ts', import.meta.url).pathname;

// What needs CEL, and the kubectl sessions, are played on the single process.
const areas = '^(machinery|crd|auth)';

// The recorded server ran without controllers, and so do the processes here.
it('separate processes answer the recordings as the list says', { timeout: 600_000 }, async () => {
  await using annex = await startProcesses();
  const args = ['--server', annex.url, '--pki', annex.pki, '--kubeconfig', annex.kubeconfig];
  const played = spawnSync(
    process.execPath,
    [player, ...args, '--section', 'separate-processes', '--kubectl', 'newest', '--only', areas],
    {
      encoding: 'utf8',
      timeout: 590_000,
    },
  );
  expect(played.stdout).toMatch(/^\d+ passed, 0 failed$/m);
  expect(played.status, played.stdout).toBe(0);
});
