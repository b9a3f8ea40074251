import { execFile, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadTestCA } from '../certificates.ts';
import { freePorts } from '../free-port.ts';
import { tempFolder } from '../temp-folder.ts';
import type { Kubectl } from './kubectl.ts';
import { applySubstitution, linesOf, normalizeOutput, pythonRegExp } from './normalize-output.ts';
import { directiveOf, directivesOf, type Transcript, type TranscriptStep } from './transcript.ts';

/** The environment in which a transcript is played. */
export interface TranscriptSetting {
  /** A kubeconfig with all permissions. */
  kubeconfig: string;
  kubectl: Kubectl;
  /** A folder with the `ca.crt` and `ca.key` that sign client certificates. */
  pki: string;
}

/** The commands that transcripts require in addition to kubectl. */
export const transcriptTools = ['bash', 'curl', 'jq', 'openssl', 'sed', 'grep'] as const;

const prelude = readFileSync(new URL('./prelude.sh', import.meta.url), 'utf8');

/** Plays a transcript. Returns the differences, one line each; none if it passed. */
export async function playTranscript(transcript: Transcript, setting: TranscriptSetting): Promise<string[]> {
  using folder = tempFolder('kt-');
  const shell = await prepareShell(folder.path, setting);
  const problems: string[] = [];
  try {
    for (const item of transcript.items) {
      if (item.kind === 'file') {
        const path = join(folder.path, item.path);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, item.text);
      } else problems.push(...(await playStep(item, shell, setting.kubectl.version)));
    }
  } finally {
    shell.end();
  }
  return problems;
}

interface Shell {
  run(command: string): Promise<{ stdout: string; stderr: string; code: number }>;
  /** Ends background processes of commands. */
  end(): void;
}

async function prepareShell(folder: string, setting: TranscriptSetting): Promise<Shell> {
  for (const name of ['bin', 't']) mkdirSync(join(folder, name));
  symlinkSync(setting.kubectl.path, join(folder, 'bin/kubectl'));
  const server = await copyKubeconfig(setting, join(folder, 'kubeconfig'));
  const ports = await freePorts(3);
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: folder,
    TMPDIR: join(folder, 't'),
    KUBECONFIG: join(folder, 'kubeconfig'),
    PKI: resolve(setting.pki),
    SERVER: server,
    ADMIN: issueAdministrator(setting.pki, join(folder, '.admin')),
    LANG: 'C',
    TERM: 'dumb',
    // kubectl runs only briefly: without garbage collection it takes a fifth less CPU time.
    GOGC: 'off',
    ...Object.fromEntries(ports.map((port, i) => [`PORT${i + 1}`, String(port)])),
  };
  const literals: [string, string][] = [
    [server, '<server>'],
    [server.split('//')[1] ?? server, '<host>'],
    [folder, '<tmp>'],
    ...ports.map((port, i): [string, string] => [`:${port}`, `:<port${i + 1}>`]),
  ];
  const groups: number[] = [];
  return {
    async run(command) {
      const result = await runBash(command, folder, env, groups);
      return {
        stdout: normalizeOutput(result.stdout, literals),
        stderr: normalizeOutput(result.stderr, literals),
        code: result.code,
      };
    },
    end: () => groups.forEach((group) => kill(group, 'SIGTERM')),
  };
}

/** Writes a certificate and a key with all permissions. Returns the common prefix of both file names. */
function issueAdministrator(pki: string, path: string): string {
  const { certificate, key } = loadTestCA(pki).issue({
    commonName: 'admin',
    organizations: ['system:masters'],
  });
  writeFileSync(`${path}.crt`, certificate);
  writeFileSync(`${path}.key`, key, { mode: 0o600 });
  return path;
}

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string } }[];
  users: { name: string }[];
  contexts: unknown[];
  'current-context': string;
}

// Returns a copy with the names that transcripts use.
async function copyKubeconfig({ kubeconfig, kubectl }: TranscriptSetting, path: string): Promise<string> {
  const args = ['config', 'view', '--kubeconfig', kubeconfig, '--raw', '--flatten', '--minify', '-o', 'json'];
  const { stdout } = await promisify(execFile)(kubectl.path, args);
  const config = JSON.parse(stdout) as Kubeconfig;
  const [cluster] = config.clusters;
  const [user] = config.users;
  if (cluster === undefined || user === undefined) throw new Error(`${kubeconfig} has no current context`);
  cluster.name = 'test';
  user.name = 'admin';
  config.contexts = [{ name: 'test', context: { cluster: 'test', user: 'admin' } }];
  config['current-context'] = 'test';
  writeFileSync(path, JSON.stringify(config));
  return cluster.cluster.server;
}

function kill(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // No process of the group is left.
  }
}

// Output goes to files: a background process of a command would keep a pipe open.
async function runBash(
  command: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  groups: number[],
): Promise<{ stdout: string; stderr: string; code: number }> {
  const paths = [join(folder, '.o'), join(folder, '.e')] as const;
  const [stdout, stderr] = [openSync(paths[0], 'w'), openSync(paths[1], 'w')];
  const child = spawn('bash', ['-c', prelude + command], {
    cwd: folder,
    env,
    stdio: ['ignore', stdout, stderr],
    detached: true,
  });
  closeSync(stdout);
  closeSync(stderr);
  const group = child.pid ?? 0;
  groups.push(group);
  const timer = setTimeout(() => kill(group, 'SIGKILL'), 90_000);
  const code = await new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (exit) => done(exit ?? -9));
  });
  clearTimeout(timer);
  return { stdout: readFileSync(paths[0], 'utf8'), stderr: readFileSync(paths[1], 'utf8'), code };
}

async function playStep(step: TranscriptStep, shell: Shell, version: string): Promise<string[]> {
  const { stdout, stderr, code } = await runUntil(step, shell);
  const versions = directiveOf(step, 'kubectl')?.split(/\s+/);
  if (directiveOf(step, 'quiet') !== undefined || versions?.includes(version) === false) return [];
  const exitOnly = directiveOf(step, 'exit') !== undefined;
  const output = exitOnly ? [] : [...comparable(step, stdout, '|'), ...comparable(step, stderr, '!')];
  const wanted = exitOnly ? [] : step.output;
  if (
    code === step.code &&
    wanted.length === output.length &&
    wanted.every((line, i) => line === output[i])
  ) {
    return [];
  }
  return [
    `$ ${step.command}`,
    ...describeEnd(step, stderr, code),
    ...lineDifferences([...wanted, `= ${step.code}`], [...output, `= ${code}`]),
  ];
}

// The reasons come first, so that they are not truncated after long output.
function describeEnd(step: TranscriptStep, stderr: string, code: number): string[] {
  const ending = code === step.code ? `exit code ${code}` : `exit code ${code} instead of ${step.code}`;
  return [ending, ...linesOf(stderr).map((line) => `stderr: ${line}`)].map((line) => `  ${line}`);
}

async function runUntil(step: TranscriptStep, shell: Shell): ReturnType<Shell['run']> {
  const until = directiveOf(step, 'until');
  const pattern = until === undefined ? undefined : pythonRegExp(until);
  const end = Date.now() + 15_000;
  for (;;) {
    const result = await shell.run(step.command);
    if (pattern === undefined || pattern.test(result.stdout + result.stderr) || Date.now() > end)
      return result;
    await wait(200);
  }
}

function comparable(step: TranscriptStep, output: string, mark: string): string[] {
  const text = directivesOf(step, 'sub').reduce((current, rule) => applySubstitution(rule, current), output);
  const lines = linesOf(text);
  if (directiveOf(step, 'sort') !== undefined) lines.sort();
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

// Returns the differing lines without the common beginning and end.
function lineDifferences(want: readonly string[], got: readonly string[]): string[] {
  let start = 0;
  while (start < want.length && start < got.length && want[start] === got[start]) start++;
  let end = 0;
  while (end < want.length - start && end < got.length - start && want.at(-1 - end) === got.at(-1 - end))
    end++;
  return [
    ...want.slice(start, want.length - end).map((line) => `  -${line}`),
    ...got.slice(start, got.length - end).map((line) => `  +${line}`),
  ];
}
