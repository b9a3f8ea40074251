import { join } from 'node:path';
import { outcome, packagesOf, single } from './run.js';
import { runVitest, sum } from './vitest.js';

/** Tests packages with one Vitest, whose workers load the libraries once for all packages. */
export async function* testMany(graph, _options, _overrides, context) {
  const packages = packagesOf(graph, context);
  const sources = packages.map(({ folder }) => `${folder}/src/`);
  const { isComplete, output, files } = await runVitest(context.root, sources);
  // They do not name a package, so each package with skipped tests repeats them.
  const reasons = [...new Set(output.match(/^.*SKIPPED.*$/gm))];
  for (const { id, folder } of packages) {
    const own = files.filter(({ path }) => path.startsWith(join(context.root, folder, '/')));
    const skipped = sum(own, 'skipped');
    const lines = own.flatMap(({ failures }) => failures);
    if (!isComplete) lines.push(output);
    if (skipped > 0) lines.push(...reasons, `${skipped} skipped`);
    const failed = Math.max(sum(own, 'failed'), isComplete ? 0 : 1);
    yield outcome(id, { passed: sum(own, 'passed'), failed, output: lines.join('\n') });
  }
}

export const testOne = single(testMany);
