import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.js';

/** Runs Vitest. Resolves to its output and the results of each test file; `isComplete` is false if the results do not contain an error. */
export async function runVitest(root, args, { print = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'annex-vitest-'));
  const report = join(folder, 'report.json');
  try {
    const vitest = join(root, 'node_modules', '.bin', 'vitest');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { code, output } = await run(root, process.execPath, [vitest, 'run', ...args, ...reporters], {
      print,
    });
    const files = existsSync(report)
      ? JSON.parse(readFileSync(report, 'utf8')).testResults.map(resultOf)
      : [];
    const isAssigned = assignStrayErrors(output, files);
    const isComplete =
      existsSync(report) && isAssigned && (code === 0 || files.some(({ failed }) => failed > 0));
    return { isComplete, output, files };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Adds errors outside of tests, which only the output has, to the results of the files that ran then. Returns false if one has no such file. */
function assignStrayErrors(output, files) {
  const caught = Number(/Vitest caught (\d+) unhandled error/.exec(output)?.[1] ?? 0);
  const origins = [...output.matchAll(/This error originated in "([^"]+)" test file/g)];
  const text = output.slice(Math.max(0, output.indexOf('Unhandled Errors')));
  for (const [, path] of origins) {
    const file = files.find((each) => each.path.endsWith(`/${path}`));
    if (file === undefined) return false;
    file.failed += 1;
    file.failures.push(`FAIL ${path}: an error outside of its tests\n${text}`);
  }
  return origins.length === caught;
}

function resultOf({ name, status, message, assertionResults }) {
  const having = (...states) => assertionResults.filter((result) => states.includes(result.status));
  const failures = having('failed').map(
    ({ fullName, failureMessages }) => `FAIL ${name} > ${fullName}\n${failureMessages.join('\n')}`,
  );
  // A file that cannot be loaded contains no tests.
  if (status === 'failed' && failures.length === 0) failures.push(`FAIL ${name}\n${message}`);
  return {
    path: name,
    passed: having('passed').length,
    failed: failures.length,
    skipped: having('pending', 'skipped', 'todo', 'disabled').length,
    failures,
  };
}

/** The sum of one count of several files. */
export const sum = (files, count) => files.reduce((total, file) => total + file[count], 0);
