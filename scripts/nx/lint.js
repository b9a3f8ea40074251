import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcome, packagesOf, run, single } from './run.js';

/** Lints packages with one ESLint, because its rules read the types of all packages. */
export async function* lintMany(graph, _options, _overrides, context) {
  const packages = packagesOf(graph, context);
  const { results, output } = await runEslint(
    context.root,
    packages.map(({ folder }) => folder),
  );
  for (const { id, folder } of packages) {
    const own = results?.filter(({ filePath }) => filePath.startsWith(join(context.root, folder, '/')));
    const failed = own?.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
    if (failed === undefined) yield outcome(id, { passed: 0, failed: 1, output });
    else
      yield outcome(id, {
        passed: failed.length === 0 ? 1 : 0,
        failed: failed.length,
        output: await format(failed),
      });
  }
}

export const lintOne = single(lintMany);

/** ESLint keeps the program of all packages: with more memory for new objects, garbage collections take 4 CPU seconds less. */
const memory = ['--max-semi-space-size=64'];

/**
 * Runs the command of ESLint. Resolves to the results of all files; undefined if it crashed.
 * Only in a process of this command do the rules keep the graph of nx, and typescript-eslint its program, from file to file.
 */
async function runEslint(root, folders) {
  const temporary = mkdtempSync(join(tmpdir(), 'annex-eslint-'));
  const report = join(temporary, 'report.json');
  try {
    const command = join(root, 'node_modules', 'eslint', 'bin', 'eslint.js');
    const options = ['--no-error-on-unmatched-pattern', '--format=json', `--output-file=${report}`];
    const { code, output } = await run(root, process.execPath, [...memory, command, ...options, ...folders]);
    // 0 without errors, 1 with errors, 2 after a crash.
    return { output, results: code <= 1 ? JSON.parse(readFileSync(report, 'utf8')) : undefined };
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** The errors of files as ESLint prints them. */
async function format(results) {
  if (results.length === 0) return '';
  const { ESLint } = await import('eslint');
  return (await new ESLint().loadFormatter('stylish')).format(results);
}
