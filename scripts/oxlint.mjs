// Runs oxlint with the rules of .oxlintrc.json, and returns its errors by file.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { nodeExecutable, root } from './install.mjs';

const command = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

/**
 * Lints paths of a folder, by the .oxlintrc.json there. Resolves to one element for each error: the absolute path of the file, the rule as
 * `plugin(rule)`, the message, and a line to print. Throws if oxlint does not run to its end.
 */
export async function oxlint(paths, cwd = root) {
  const args = [command, '--disable-nested-config', '--format=json', ...paths];
  const { output, errors } = await new Promise((done) => {
    const options = { cwd, maxBuffer: 2 ** 28 };
    execFile(nodeExecutable(), args, options, (_, output, errors) => done({ output, errors }));
  });
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    throw new Error(`oxlint failed:\n${output}${errors}`);
  }
  if (report.number_of_files === 0) throw new Error('oxlint found no files');
  return report.diagnostics.map(({ filename, code, message, labels }) => {
    const { line, column } = labels[0]?.span ?? { line: 1, column: 1 };
    return {
      file: resolve(cwd, filename),
      rule: code,
      message,
      text: `${filename}:${line}:${column}: ${message} ${code}`,
    };
  });
}
