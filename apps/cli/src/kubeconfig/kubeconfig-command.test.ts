import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubeconfigText } from '@annex/auth';
import { loadKubeconfig } from '@annex/client';
import { type TempFolder, tempFolder } from '@annex/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../commands.ts';
import { printed } from '../printed.fixture.ts';
import { maxKubeconfigDepth } from './kubeconfig-text.ts';
import { mergeContext } from './user-kubeconfig.ts';

let folder: TempFolder;
let file: string;
beforeEach(() => {
  folder = tempFolder();
  file = join(folder.path, 'home', 'config');
  mkdirSync(join(folder.path, '.annex'));
  const admin = { server: 'https://127.0.0.1:6443', caData: 'ca', cert: 'cert', key: 'key' };
  writeFileSync(join(folder.path, '.annex', 'admin.kubeconfig'), kubeconfigText(admin));
});
afterEach(() => folder[Symbol.dispose]());

const run = (action: string) =>
  printed(() =>
    runCommand(['kubeconfig', action], { ANNEX_DATA_DIR: join(folder.path, '.annex'), KUBECONFIG: file }),
  );

const others = `# Clusters of the company.
apiVersion: v1
kind: Config
clusters:
  - name: production # do not touch
    cluster:
      server: https://production.example.com
users: []
contexts:
  - name: production
    context:
      cluster: production
current-context: production
`;

it('creates a kubeconfig that only its owner can read', async () => {
  expect(await run('merge')).toEqual({
    code: 0,
    out: `"annex" is the current context of ${file}\n`,
    err: '',
  });
  expect(await loadKubeconfig(file)).toEqual({
    server: 'https://127.0.0.1:6443',
    ca: 'ca',
    cert: 'cert',
    key: 'key',
  });
  expect([statSync(file).mode & 0o777, existsSync(`${file}.lock`)]).toEqual([0o600, false]);
});

it('adds the context to other contexts, and keeps comments', async () => {
  mkdirSync(join(folder.path, 'home'));
  writeFileSync(file, others);
  await run('merge');
  await run('merge');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('# Clusters of the company.\n');
  expect(text).toContain('  - name: production # do not touch\n');
  expect(text.match(/name: annex/g)).toHaveLength(3);
  expect(await loadKubeconfig(file)).toMatchObject({ server: 'https://127.0.0.1:6443' });
  expect(await loadKubeconfig(file, { context: 'production' })).toMatchObject({
    server: 'https://production.example.com',
  });
});

it('removes only what it added', async () => {
  mkdirSync(join(folder.path, 'home'));
  writeFileSync(file, others);
  await run('merge');
  expect(await run('remove')).toMatchObject({ code: 0, out: `"annex" is removed from ${file}\n` });
  expect(readFileSync(file, 'utf8')).toBe(
    others.replace('current-context: production', 'current-context: ""'),
  );
});

it('keeps a link to the kubeconfig', async () => {
  const target = join(folder.path, 'target');
  mkdirSync(join(folder.path, 'home'));
  writeFileSync(target, others);
  symlinkSync(target, file);
  await run('merge');
  expect(readFileSync(target, 'utf8')).toContain('current-context: annex\n');
});

it('creates the file of a link that leads to none yet', async () => {
  mkdirSync(join(folder.path, 'home'));
  symlinkSync(join('..', 'target'), file);
  await run('merge');
  expect(readFileSync(join(folder.path, 'target'), 'utf8')).toContain('current-context: annex\n');
});

it('waits for a program that changes the kubeconfig', async () => {
  mkdirSync(join(folder.path, 'home'));
  const admin = join(folder.path, '.annex', 'admin.kubeconfig');
  await Promise.all([1, 2, 3].map(() => mergeContext(file, admin)));
  expect(readFileSync(file, 'utf8').match(/name: annex/g)).toHaveLength(3);
});

it('a folder instead of a kubeconfig is an error without a stack', async () => {
  mkdirSync(file, { recursive: true });
  expect(await run('merge')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^FILE_UNREADABLE: EISDIR: [^\n]*\n {2}Check the path[^\n]*\n$/),
  });
});

it.each([
  ['is no YAML', 'a: [', 'KUBECONFIG_UNUSABLE: '],
  ['is a list', '- a', 'KUBECONFIG_UNUSABLE: '],
  ['is of another kind', 'kind: Pod', 'is not a kubeconfig'],
  ['has no list of clusters', 'clusters: 5', 'is not a kubeconfig'],
  ['is nested too deeply', `a: ${'['.repeat(maxKubeconfigDepth + 1)}`, 'KUBECONFIG_UNUSABLE: '],
])('does not change a kubeconfig that %s', async (_, text, error) => {
  mkdirSync(join(folder.path, 'home'));
  writeFileSync(file, text);
  expect(await run('merge')).toMatchObject({ code: 1, err: expect.stringContaining(error) });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('does not change a kubeconfig that another program changes for longer than lockTimeoutMs', async () => {
  mkdirSync(join(folder.path, 'home'));
  writeFileSync(`${file}.lock`, '');
  expect(await run('merge')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      `FILE_UNWRITABLE: another program is changing ${file}; if none is, remove ${file}.lock\n`,
    ),
  });
  expect([existsSync(file), existsSync(`${file}.lock`)]).toEqual([false, true]);
});

it('an unknown action names the nearest one', async () => {
  expect(await run('mrege')).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      '"mrege" is neither merge nor remove; did you mean merge?; usage: annex kubeconfig merge|remove',
    ),
  });
});
