// Runs the rule that reads types over the files that input reaches: `node scripts/lint-types.mjs [FOLDER…]`. Prints its errors as JSON: the
// path of the file and a line to print for each.
import ts from 'typescript';
import { root } from './install.mjs';
import { inheritedKeyErrors } from './lint-rules/no-inherited-keys.js';
import { readConfig } from './lint-rules/typed-program.js';

/** Files that input never reaches. The program of tsconfig.types.json has no tests. */
const exempt =
  /^(?:apps\/(?:create-annex\/data|e2e)|libs\/(?:testkit|app-testkit|cel\/src\/specification))\//;

const folders = process.argv.slice(2).map((folder) => `${folder}/`);
const { options, fileNames } = readConfig();
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const errors = [];
for (const file of program.getSourceFiles()) {
  const path = file.fileName.slice(root.length + 1);
  if (!file.fileName.startsWith(`${root}/`) || !folders.some((folder) => path.startsWith(folder))) continue;
  if (file.isDeclarationFile || path.includes('node_modules/') || exempt.test(path)) continue;
  for (const { line, column, message } of inheritedKeyErrors(checker, file))
    errors.push({ file: file.fileName, text: `${path}:${line}:${column}: ${message}` });
}
process.stdout.write(JSON.stringify(errors));
