import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { startProcess, tempFolder } from '@annex/testkit';
import { annexProgram } from '../target.ts';

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'RequestResponse', namespaces: ['audited'] }, { level: 'None' }],
};

/** An Annex that reports its longest turn of the event loop. */
export interface TurnServer extends AsyncDisposable {
  config: ClientConfig;
  /**
   * Resolves when the server is quiet, to the CPU time of its longest turn since the last call, for how long V8 collected garbage in it, and
   * how many turns were longer than 5 ms.
   */
  longest(): Promise<{ ms: number; gcMs: number; long: number; report: number }>;
}

/** Starts it with all controllers; writes the samples of the longest turns into a folder. */
export async function startTurnServer(
  profiles: string | undefined,
  args: readonly string[] = [],
): Promise<TurnServer> {
  const folder = tempFolder('annex-turns-');
  const policyFile = join(folder.path, 'audit-policy.json');
  writeFileSync(policyFile, JSON.stringify(policy));
  const reporter = fileURLToPath(new URL('turn-reporter.ts', import.meta.url));
  const audit = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${join(folder.path, 'audit.log')}`];
  const annex = await startProcess(process.execPath, {
    args: [
      '--import',
      reporter,
      annexProgram,
      'up',
      '--data-dir',
      folder.path,
      '--port',
      '0',
      '--log-level',
      'error',
      ...audit,
      ...args,
    ],
    env: { ...process.env, ...(profiles !== undefined && { TURN_PROFILES: profiles }) },
    until: /annex is ready in/,
  });
  const config = await loadKubeconfig(join(folder.path, 'admin.kubeconfig'));
  let reports = 0;
  return {
    config,
    async longest() {
      annex.kill('SIGUSR2');
      const [, ms, long, gcMs] = await annex.waitFor(new RegExp(`^turns ${++reports}: (\\S+) (\\d+) (\\S+)`));
      return { ms: Number(ms), gcMs: Number(gcMs), long: Number(long), report: reports };
    },
    async [Symbol.asyncDispose]() {
      await annex.stop();
      folder[Symbol.dispose]();
    },
  };
}
