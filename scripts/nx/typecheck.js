import { join } from 'node:path';
import { outcome, packagesOf, run, single } from './run.js';

/** Matches the file of an error, and the lines of the error. */
const errorPattern = /^(\S[^\n]*?)\(\d+,\d+\): error .*(?:\n[ \t].*)*/gm;

/** Compiles the program of all packages once, and assigns the errors to packages by their files. */
export async function* typecheckMany(graph, _options, _overrides, context) {
  const packages = packagesOf(graph, context);
  const config = packages.length === 1 ? join(packages[0].folder, 'tsconfig.json') : 'tsconfig.json';
  const compiler = join(context.root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const args = [compiler, '--noEmit', '--pretty', 'false', '-p', config];
  const { code, output } = await run(context.root, process.execPath, args);
  const errors = [...output.matchAll(errorPattern)].map(([text, file]) => ({ text, file }));
  // Errors without a file concern the whole program.
  const isReadable = code === 0 || errors.length > 0;
  for (const { id, folder } of packages) {
    const own = errors.filter(({ file }) => file.startsWith(`${folder}/`)).map(({ text }) => text);
    if (!isReadable) yield outcome(id, { passed: 0, failed: 1, output });
    else yield outcome(id, { passed: own.length === 0 ? 1 : 0, failed: own.length, output: own.join('\n') });
  }
}

export const typecheckOne = single(typecheckMany);
