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

/** How long a server may need until it is quiet. */
const reportWithinMs = 300_000;

/** Lines of the output of a server that ended unexpectedly. */
const shownLines = 20;

/** An Annex that reports its longest turn of the event loop. */
export interface TurnServer extends AsyncDisposable {
  config: ClientConfig;
  /** Its data directory. */
  folder: string;
  /** Resolves to its longest turns since the last call, when the server is quiet. */
  longest(): Promise<LongestTurns>;
}

/** The longest turns, in milliseconds of CPU time. */
export interface LongestTurns {
  ms: number;
  /** For how long V8 collected garbage in that turn. */
  gcMs: number;
  /** The longest turn without the time of such collections. */
  ownMs: number;
  /** How many turns were longer than 5 ms, and how many longer than 20 without the collections. */
  long: number;
  aboveLimit: number;
  /** The number of the file with its samples. */
  report: number;
}

/** How the server is started. */
export interface TurnServerOptions {
  /** The folder for the samples of the longest turns. */
  profiles: string | undefined;
  /** Default: the one of this checkout. */
  program: string | undefined;
  /** Further arguments; files that they name are written into the data directory. */
  args?(folder: string): readonly string[];
  /** Writes objects into the data directory. */
  fill?(folder: string): Promise<void>;
}

/** Starts it with all controllers. */
export async function startTurnServer({
  profiles,
  program = annexProgram,
  args,
  fill,
}: TurnServerOptions): Promise<TurnServer> {
  const folder = tempFolder('annex-turns-');
  await fill?.(folder.path);
  const policyFile = join(folder.path, 'audit-policy.json');
  writeFileSync(policyFile, JSON.stringify(policy));
  const reporter = fileURLToPath(new URL('turn-reporter.ts', import.meta.url));
  const audit = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${join(folder.path, 'audit.log')}`];
  const annex = await startProcess(process.execPath, {
    args: [
      '--import',
      reporter,
      program,
      'up',
      '--data-dir',
      folder.path,
      '--port',
      '0',
      '--log-level',
      'error',
      ...audit,
      ...(args?.(folder.path) ?? []),
    ],
    env: { ...process.env, ...(profiles !== undefined && { TURN_PROFILES: profiles }) },
    until: /annex is ready in/,
  });
  const config = await loadKubeconfig(join(folder.path, 'admin.kubeconfig'));
  let reports = 0;
  let isEnding = false;
  void annex.exited.then((code) => {
    const output = annex.lines.filter((line) => !line.startsWith('turns ')).slice(-shownLines);
    if (!isEnding) process.stderr.write(`Annex ended with ${code}; it printed:\n${output.join('\n')}\n`);
  });
  return {
    config,
    folder: folder.path,
    async longest() {
      annex.kill('SIGUSR2');
      const report = ++reports;
      const [, numbers = ''] = await annex.waitFor(new RegExp(`^turns ${report}: (.*)$`), reportWithinMs);
      const [ms = 0, long = 0, gcMs = 0, ownMs = 0, aboveLimit = 0] = numbers.split(' ').map(Number);
      return { ms, gcMs, ownMs, long, aboveLimit, report };
    },
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await annex.stop();
      folder[Symbol.dispose]();
    },
  };
}
