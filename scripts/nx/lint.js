import { join } from 'node:path';
import { oxlint } from '../oxlint.mjs';
import { outcome, packagesOf, run, single } from './run.js';

/** Lints packages with one oxlint, and with one program of all packages for the rule that reads types. */
export async function* lintMany(graph, _options, _overrides, context) {
  const packages = packagesOf(graph, context);
  const folders = packages.map(({ folder }) => folder);
  const [errors, crash] = await errorsOf(context.root, folders);
  for (const { id, folder } of packages) {
    const own = errors.filter(({ file }) => file.startsWith(join(context.root, folder, '/')));
    if (crash !== undefined) yield outcome(id, { passed: 0, failed: 1, output: crash });
    else {
      const failed = new Set(own.map(({ file }) => file)).size;
      const output = own.map(({ text }) => text).join('\n');
      yield outcome(id, { passed: failed === 0 ? 1 : 0, failed, output });
    }
  }
}

export const lintOne = single(lintMany);

/** Resolves to the errors, and to the output of a tool that crashed. */
async function errorsOf(root, folders) {
  try {
    return [(await Promise.all([oxlint(folders, root), typeErrors(root, folders)])).flat(), undefined];
  } catch (error) {
    return [[], error.message];
  }
}

/** With more memory for new objects, garbage collections of the program of all packages take less time. */
const memory = ['--max-semi-space-size=64'];

/** Resolves to the errors of the rule that reads types. It has a process for its memory. Throws if it crashes. */
async function typeErrors(root, folders) {
  const command = [...memory, join(root, 'scripts', 'lint-types.mjs'), ...folders];
  const { code, output } = await run(root, process.execPath, command);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output);
}
