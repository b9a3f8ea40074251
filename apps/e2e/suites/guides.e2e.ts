import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { requireTools, type TempFolder, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand, annexNode, installedAnnex } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { findKubernetes } from './clients/kubernetes.ts';
import { briefGoProgram } from './extension/kubectl.ts';
import { differenceOf, guideBlocks, guidesOf } from './guide.ts';

const root = new URL('../../../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const pages = ['README.md', ...guidesOf(readme).map((name) => `docs/guides/${name}`)];
const mark = '@@end of block';

/** Runs all blocks in one shell, because they depend on each other, and resolves to the output of each. */
function runBlocks(commands: readonly string[], env: NodeJS.ProcessEnv, cwd: string): string[] {
  const script = commands.map((text) => `${text}\necho '${mark}'\n`).join('');
  // Background processes of a guide end with its shell.
  const all = `trap 'kill $(jobs -p) 2>/dev/null' EXIT\nexec 2>&1\n${script}`;
  const { stdout } = spawnSync('bash', ['-c', all], { cwd, env, encoding: 'utf8', timeout: 400_000 });
  return stdout.split(`${mark}\n`);
}

const kinds = [
  ...['namespaces', 'configmaps', 'services'].map((name) => `/api/v1/${name}`),
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
    (name) => `/apis/rbac.authorization.k8s.io/v1/${name}`,
  ),
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/apiregistration.k8s.io/v1/apiservices',
  ...[
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  ].map((name) => `/apis/admissionregistration.k8s.io/v1/${name}`),
];

/** Returns the names of objects that a guide could leave behind. */
async function objectsOf(client: Client): Promise<string[]> {
  const lists = kinds.map(async (path) => {
    const { items } = await client.json<{ items: KubeObject[] }>({ path });
    return items.map(({ metadata: { namespace = '', name } }) => `${path} ${namespace}/${name}`);
  });
  // A controller creates these ConfigMaps at any moment after the start.
  return (await Promise.all(lists)).flat().filter((name) => !name.endsWith('/kube-root-ca.crt'));
}

/** A folder with the command `annex`, which users have in their PATH. */
function commandFolder(): TempFolder {
  const folder = tempFolder();
  writeFileSync(join(folder.path, 'annex'), `#!/bin/sh\nexec '${annexNode}' '${annexCommand}' "$@"\n`, {
    mode: 0o755,
  });
  return folder;
}

describe.runIf(requireTools('the guides', 'kubectl', 'bash', 'openssl', 'curl'))(
  'the guides on one Annex, in their order',
  () => {
    let annex: Runner;
    let client: Client;
    let commands: TempFolder;
    beforeAll(async () => {
      annex = await startSingle({ controllers: '*' });
      client = new Client(await loadKubeconfig(annex.kubeconfig));
      commands = commandFolder();
    });
    afterAll(async () => {
      commands?.[Symbol.dispose]();
      client?.close();
      await annex?.stop();
    });

    it('are all listed in the README', () => {
      const files = readdirSync(new URL('docs/guides/', root)).filter((name) => name.endsWith('.md'));
      expect(guidesOf(readme).sort()).toEqual(files.sort());
    });

    const differencesOf = async (page: string, adapted = (text: string) => text): Promise<string[]> => {
      using work = tempFolder();
      const before = await objectsOf(client);
      const env = {
        ...process.env,
        ...briefGoProgram,
        KUBECONFIG: annex.kubeconfig,
        PKI: annex.pki,
        ANNEX: installedAnnex ?? root.pathname,
        HOME: work.path,
        TMPDIR: work.path,
        PATH: [commands.path, dirname(annexNode), process.env.PATH].join(delimiter),
      };
      const blocks = guideBlocks(readFileSync(new URL(page, root), 'utf8'));
      const outputs = runBlocks(
        blocks.map(({ commands }) => adapted(commands)),
        env,
        work.path,
      );
      const differences = blocks.flatMap(({ expected, line }, i) => {
        const text = differenceOf(outputs[i] ?? '', expected);
        return text === undefined ? [] : [`line ${line}: ${text}\n--- printed:\n${outputs[i] ?? 'nothing'}`];
      });
      expect(readdirSync(work.path).filter((name) => !name.startsWith('.'))).toEqual([]);
      expect((await objectsOf(client)).filter((name) => !before.includes(name))).toEqual([]);
      return differences;
    };

    it.each(pages)('%s: every block prints what the page shows, and nothing is left behind', async (page) => {
      expect(await differencesOf(page)).toEqual([]);
    });

    const programs = findKubernetes('the guide of two schedulers with kube-scheduler');
    it.runIf(programs !== undefined)('the guide of two schedulers works with kube-scheduler', async () => {
      // The guide shows the events of its Pods, which the run before has left.
      await client.json({ method: 'DELETE', path: '/api/v1/namespaces/default/events' });
      const differences = await differencesOf('docs/guides/configure-multiple-schedulers.md', (commands) =>
        commands
          .replaceAll('annex scheduler', programs?.['kube-scheduler'] ?? '')
          .replaceAll(' --accept-earlier-config', '')
          .replace('v1beta2', 'v1'),
      );
      expect(differences).toEqual([]);
    });
  },
);
