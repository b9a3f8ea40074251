import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './commands.ts';
import { printed } from './printed.fixture.ts';
import { runAnnex, type RunningAnnex } from './running-annex.fixture.ts';

const folder = tempFolder();
const file = (name: string, text: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
};
const damaged = join(folder.path, 'damaged');
mkdirSync(join(damaged, 'pki'), { recursive: true });
writeFileSync(join(damaged, 'pki', 'ca.crt'), 'no certificate');

let annex: RunningAnnex;
beforeAll(async () => {
  annex = await runAnnex('--ephemeral');
});
afterAll(async () => {
  await annex.stop();
  folder[Symbol.dispose]();
});

const run = (...argv: string[]) => printed(() => runCommand(argv, {}));

describe('an invalid command line prints code, message and next step, and exits with 2', () => {
  it.each<[why: string, argv: string[], text: string]>([
    [
      'an unknown command',
      ['trac'],
      'COMMAND_UNKNOWN: unknown command "trac"; did you mean trace?\n  Run `annex --help`',
    ],
    ['a command in capitals', ['Up'], 'COMMAND_UNKNOWN: unknown command "Up"; did you mean up?\n'],
    ['an option before the command', ['--verison'], 'unknown command "--verison"; did you mean --version?\n'],
    ['a surplus word after version', ['version', 'x'], 'unexpected argument "x"; usage: annex version\n'],
    [
      'an option of one dash',
      ['up', '-p', '80'],
      'OPTION_UNKNOWN: unknown option -p; options begin with two',
    ],
    [
      'a kind that is not checked, without a server',
      ['check', 'crd', 'x'],
      'cannot check "crd", only an apis',
    ],
    [
      'a namespace before a Pod',
      ['why-pending', 'a/b'],
      '"a/b" is not the name of a Pod; --namespace selects',
    ],
    ['a command that resembles none', ['frob'], 'COMMAND_UNKNOWN: unknown command "frob"\n  Run'],
    [
      'an unknown option',
      ['up', '--prot=1'],
      'OPTION_UNKNOWN: unknown option --prot; did you mean --port?\n  Run',
    ],
    ['an unknown option of an app', ['front-proxy', '--etcd-server=x'], 'did you mean --etcd-servers?\n'],
    ['a missing word', ['snapshot'], 'ARGUMENT_MISSING: usage: annex snapshot FILE [options]\n  Write'],
    ['a surplus word', ['pki', 'x'], 'ARGUMENT_UNEXPECTED: unexpected argument "x"; usage: annex pki'],
    ['no shell', ['completion'], 'ARGUMENT_MISSING: usage: annex completion bash|zsh|fish\n'],
    ['an unknown shell', ['completion', 'bsh'], 'did you mean bash?\n'],
    ['no URL', ['health'], 'ARGUMENT_MISSING: usage: annex health URL [CA-FILE]\n'],
    ['a word that is not a URL', ['health', 'here'], 'ARGUMENT_UNEXPECTED: here is not a URL'],
    ['neither names nor --all', ['migrate'], 'ARGUMENT_MISSING: usage: annex migrate'],
  ])('%s', async (_, argv, text) => {
    const options = argv[0] === 'migrate' ? ['--kubeconfig', annex.kubeconfig] : [];
    const { code, err, out } = await run(...argv, ...options);
    expect([code, err, out]).toEqual([2, expect.stringContaining(text), '']);
  });
});

describe('an operator error prints code, message and next step without a stack, and exits with 1', () => {
  it.each<[why: string, argv: () => string[], text: string]>([
    [
      'the port is in use',
      () => ['up', '--data-dir', join(folder.path, 'port'), '--port', new URL(annex.url).port],
      'PORT_IN_USE: 127.0.0.1:',
    ],
    [
      'the data directory is a file',
      () => ['up', '--data-dir', file('plain', '')],
      'DATA_DIR_UNUSABLE: cannot use ',
    ],
    [
      'the data directory cannot be created',
      () => ['up', '--data-dir', '/proc/annex/data'],
      'DATA_DIR_UNUSABLE: cannot use /proc/annex/data: ENOENT',
    ],
    ['keys cannot be created', () => ['pki', '--data-dir', '/proc/annex'], 'FILE_UNWRITABLE: ENOENT'],
    [
      'a certificate is damaged',
      () => ['up', '--data-dir', damaged, '--port=0'],
      'ca.crt is not a PEM certificate\n',
    ],
    [
      'a certificate for separate processes is damaged',
      () => ['pki', '--data-dir', damaged],
      'PKI_UNUSABLE: ',
    ],
    [
      'a bundle is missing',
      () => ['up', '--client-ca-file=none', '--data-dir', join(folder.path, 'ca')],
      'FILE_UNREADABLE: cannot read none',
    ],
    [
      'the kubeconfig is missing',
      () => ['trace', '--kubeconfig=none'],
      'KUBECONFIG_UNUSABLE: the kubeconfig none cannot',
    ],
    [
      'the kubeconfig is a text',
      () => ['trace', '--kubeconfig', file('text', 'hello')],
      'KUBECONFIG_UNUSABLE: ',
    ],
    [
      'the kubeconfig has no such context',
      () => ['trace', '--kubeconfig', annex.kubeconfig, '--context=x'],
      'has no context "x"\n',
    ],
    [
      'the server does not run',
      () => ['trace', '--kubeconfig', annex.kubeconfig, '--server=https://127.0.0.1:1'],
      'SERVER_UNREACHABLE: connect ECONNREFUSED 127.0.0.1:1\n',
    ],
    [
      'the server refuses',
      () => ['trace', 'none', '--kubeconfig', annex.kubeconfig],
      'REQUEST_FAILED: traces "none" not found\n',
    ],
    [
      'the CA file of a health check is missing',
      () => ['health', annex.url, 'none'],
      'FILE_UNREADABLE: ENOENT',
    ],
    ['the CA of a server is unknown', () => ['health', annex.url], 'SERVER_UNREACHABLE: '],
    ['there is no store', () => ['snapshot', 'file', '--data-dir', folder.path], 'STORE_MISSING: '],
    [
      'a snapshot is none',
      () => ['restore', file('snap', 'x'), '--data-dir', folder.path],
      'FILE_UNREADABLE: ',
    ],
    [
      'a resource is unknown',
      () => ['migrate', 'foo', '--kubeconfig', annex.kubeconfig],
      'RESOURCE_UNUSABLE: foo: ',
    ],
  ])('%s', async (_, argv, text) => {
    const { code, err, out } = await run(...argv());
    expect([code, err, out]).toEqual([1, expect.stringContaining(text), '']);
    expect(err).toMatch(/^[A-Z_]+: [^\n]+\n {2}[A-Z][^\n]+\n$/);
  });
});

it('--version prints the versions of Annex, of Kubernetes and of Node', async () => {
  const { code, out } = await run('--version');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^annex \d.*\nKubernetes v1\.36\.\d+\nNode v\d.*\n$/),
  ]);
});

it('--help of the command lists the commands and the exit codes, without colors', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  expect(out).toMatch(/^Commands:\n {2}up +run everything in one process$/m);
  expect(out).toMatch(/^Exit codes:\n {2}0 +it completed/m);
  expect(out).not.toContain('\u001B');
});

it('--help of a command groups its options', async () => {
  const { out } = await run('up', '--help');
  const titles = [...out.matchAll(/^(\w.*):$/gm)].map(([, title]) => title);
  expect(titles).toEqual([
    'Options',
    'Serving',
    'Store',
    'Controllers',
    'Schedulers',
    'Fake nodes',
    'Logs',
    'Authentication',
    'Authentication by proxies',
    'Aggregation',
    'Service accounts',
    'APIs',
    'Authorization',
    'Admission',
    'Limits',
    'Process',
    'Audit',
    'Egress',
    'Exit codes',
  ]);
});
