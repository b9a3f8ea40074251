// Installs Annex, starts it with the node in PATH, and waits until it is ready. It runs until the job ends.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The maximum time from the start until Annex is ready. */
const startTimeoutMs = 60_000;

const {
  GITHUB_ENV,
  GITHUB_OUTPUT,
  GITHUB_STATE,
  INPUT_OPTIONS = '',
  INPUT_VERSION,
  RUNNER_TEMP,
} = process.env;
const folder = join(RUNNER_TEMP, 'annex');
const kubeconfig = join(folder, 'admin.kubeconfig');
const log = join(folder, 'annex.log');
mkdirSync(folder, { recursive: true });

const npmOptions = ['--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
execFileSync('npm', ['install', ...npmOptions, `annex@${INPUT_VERSION || 'latest'}`], { stdio: 'inherit' });

const options = INPUT_OPTIONS.split('\n').filter((line) => line.trim() !== '');
const annex = join(folder, 'node_modules', 'annex', 'bin', 'annex.js');
const args = [annex, 'up', `--data-dir=${folder}`, '--secure-port=0', ...options.map((line) => line.trim())];
const file = openSync(log, 'a');
const server = spawn('node', args, { detached: true, stdio: ['ignore', file, file] });
const ended = new Promise((resolve) => server.once('exit', resolve).once('error', resolve));

if (await isReady()) {
  appendFileSync(GITHUB_ENV, `KUBECONFIG=${kubeconfig}\n`);
  appendFileSync(GITHUB_OUTPUT, `kubeconfig=${kubeconfig}\nlog=${log}\n`);
  appendFileSync(GITHUB_STATE, `pid=${server.pid}\nlog=${log}\n`);
  server.unref();
} else {
  process.stdout.write(`${readFileSync(log, 'utf8')}::error::Annex is not ready: the log is above\n`);
  server.kill();
  process.exitCode = 1;
}

/** False if Annex ends before it is ready, or if it is not ready in time. */
async function isReady() {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (/^annex is ready/m.test(readFileSync(log, 'utf8'))) return true;
    const hasEnded = await Promise.race([ended.then(() => true), delay(50, false)]);
    if (hasEnded) return false;
  }
  return false;
}
