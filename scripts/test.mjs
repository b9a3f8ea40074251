// `npm test`: all suites from a fresh clone on, independent ones side by side. The last line counts them all.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, nodeExecutable, root } from './install.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const results = join(root, '.cache', 'test-results');

ensureInstalled({ dev: true });
const node = nodeExecutable();

/** One check that passes or fails as a whole. */
const single = (code) => (code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

/** The counts that vitest wrote. */
function fromVitest(report) {
  return (code) => {
    if (!existsSync(report)) return { passed: 0, failed: 1 };
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    // A file that cannot be loaded has no tests in it.
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    const failed = numFailedTests + broken.length;
    return {
      passed: numPassedTests,
      failed: code !== 0 && failed === 0 ? 1 : failed,
      skipped: numPendingTests,
    };
  };
}

/** The counts in the last line of an output. */
function fromLastLine(code, output) {
  const found = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1);
  if (found === undefined) return { passed: 0, failed: 1 };
  const failed = Number(found[2]);
  return { passed: Number(found[1]), failed: code !== 0 && failed === 0 ? 1 : failed };
}

const vitest = (name, ...args) => {
  const report = join(results, `${name}.json`);
  return {
    name,
    command: [
      node,
      bin('vitest'),
      'run',
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    count: fromVitest(report),
  };
};

// What needs one processor runs beside the recordings; the end-to-end suites take both, last.
const suites = [
  { name: 'conformance', command: [node, 'conformance/src/main.ts'], count: fromLastLine, heavy: true },
  { name: 'lint', command: [node, 'scripts/lint.mjs'], count: fromLastLine },
  vitest('unit'),
  { name: 'types', command: [node, bin('tsc'), '--noEmit', '-p', 'tsconfig.json'], count: single },
  { name: 'format', command: [node, bin('prettier'), '--check', '--log-level=warn', '.'], count: single },
  { name: 'unused', command: [node, bin('knip'), '--no-progress', '--no-config-hints'], count: single },
  { name: 'docs', command: [node, 'scripts/check-docs.mjs'], count: fromLastLine },
  {
    ...vitest('e2e', '--config', 'apps/e2e/vitest.config.ts'),
    heavy: true,
    needs: 'apps/e2e/vitest.config.ts',
  },
].filter(({ needs }) => needs === undefined || existsSync(join(root, needs)));

const selected = process.argv.slice(2);
const unknown = selected.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `no suite ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const total = { passed: 0, failed: 0 };
const lines = [];
await runAll(suites.filter(({ name }) => selected.length === 0 || selected.includes(name)));
process.stdout.write(`\n${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

// Two at once, but only one heavy one.
function runAll(list) {
  const waiting = [...list];
  const running = new Set();
  return new Promise((done) => {
    const next = () => {
      while (running.size < 2) {
        const heavy = [...running].some((suite) => suite.heavy);
        const index = waiting.findIndex((suite) => !(heavy && suite.heavy));
        if (index < 0) break;
        const [suite] = waiting.splice(index, 1);
        running.add(suite);
        void runSuite(suite).then(() => {
          running.delete(suite);
          next();
        });
      }
      if (running.size === 0 && waiting.length === 0) done();
    };
    next();
  });
}

async function runSuite({ name, command, count }) {
  const start = Date.now();
  const { code, output } = await capture(command);
  const { passed, failed, skipped = 0 } = count(code, output);
  total.passed += passed;
  total.failed += failed;
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  const line = `${name}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''} (${seconds} s)`;
  lines.push(line);
  // What is skipped and why must not be lost in a suite that passed.
  const shown =
    failed > 0
      ? output
      : output
          .split('\n')
          .filter((text) => text.includes('SKIPPED'))
          .join('\n');
  process.stdout.write(`== ${line}\n${shown.trim() === '' ? '' : `${shown.trimEnd()}\n`}`);
}

function capture([command, ...args]) {
  const env = { ...process.env, NX_DAEMON: 'false', NO_COLOR: '1', FORCE_COLOR: '0' };
  env.PATH = `${join(root, 'node_modules', '.bin')}:${env.PATH}`;
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done) => {
    child.on('error', (error) => done({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}
