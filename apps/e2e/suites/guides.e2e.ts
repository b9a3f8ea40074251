import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { requireTools, tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { startSingle } from '../runners/single-runner.ts';
import { guideBlocks, missingLine } from './guide.ts';

const folder = new URL('../../../docs/guides/', import.meta.url);
const root = new URL('../../../', import.meta.url).pathname;
const pages = ['../../README.md', ...readdirSync(folder).filter((name) => name.endsWith('.md'))];
const mark = '@@end of block';

/** Runs all blocks in one shell, because they depend on each other, and resolves to the output of each. */
function runBlocks(commands: readonly string[], env: NodeJS.ProcessEnv, cwd: string): string[] {
  const script = commands.map((text) => `${text}\necho '${mark}'\n`).join('');
  // Background processes of a guide end with its shell.
  const all = `trap 'kill $(jobs -p) 2>/dev/null' EXIT\nexec 2>&1\n${script}`;
  const { stdout } = spawnSync('bash', ['-c', all], { cwd, env, encoding: 'utf8', timeout: 400_000 });
  return stdout.split(`${mark}\n`);
}

/** Returns the names of objects that a guide could leave behind, in the form of `kubectl get -o name`. */
function objectsOf(kubeconfig: string): string[] {
  const kinds =
    'namespaces,configmaps,services,roles,rolebindings,clusterroles,clusterrolebindings,crds,apiservices,' +
    'mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings';
  const args = ['get', kinds, '--all-namespaces', '-o', 'name', '--kubeconfig', kubeconfig];
  const names = spawnSync('kubectl', args, { encoding: 'utf8' }).stdout.split('\n');
  // A controller creates these ConfigMaps at any moment after the start.
  return names.filter((name) => name !== 'configmap/kube-root-ca.crt');
}

describe.runIf(requireTools('the guides', 'kubectl', 'bash', 'openssl'))('the commands of the guides', () => {
  it.each(pages)('%s: every block prints the expected output', async (page) => {
    await using annex = await startSingle({ controllers: '*' });
    using work = tempFolder();
    const before = objectsOf(annex.kubeconfig);
    const env = {
      ...process.env,
      KUBECONFIG: annex.kubeconfig,
      PKI: annex.pki,
      ANNEX: root,
      HOME: work.path,
    };
    const blocks = guideBlocks(readFileSync(new URL(page, folder), 'utf8'));
    const outputs = runBlocks(
      blocks.map(({ commands }) => commands),
      env,
      work.path,
    );
    const missing = blocks.flatMap(({ line, expected }, i) => {
      const text = missingLine(outputs[i] ?? '', expected);
      return text === undefined ? [] : [`line ${line}: ${text}\n--- printed:\n${outputs[i] ?? 'nothing'}`];
    });
    expect(missing).toEqual([]);
    // The clean-up of a guide leaves nothing behind, so that the next guide starts as this one did.
    expect(readdirSync(work.path).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(objectsOf(annex.kubeconfig).filter((name) => !before.includes(name))).toEqual([]);
  });
});
