import { ESLint } from 'eslint';
import { outcome, packagesOf, single } from './run.js';

/** Lints packages with one ESLint, because its rules read the types of all packages. */
export async function* lintMany(graph, _options, _overrides, context) {
  const eslint = new ESLint({ cwd: context.root, errorOnUnmatchedPattern: false });
  const formatter = await eslint.loadFormatter('stylish');
  for (const { id, folder } of packagesOf(graph, context)) {
    const results = await eslint.lintFiles([folder]);
    const failed = results.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
    const output = failed.length === 0 ? '' : await formatter.format(failed);
    yield outcome(id, { passed: failed.length === 0 ? 1 : 0, failed: failed.length, output });
  }
}

export const lintOne = single(lintMany);
