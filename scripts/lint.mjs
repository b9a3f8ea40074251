// Lints, and proves that the rules bite: the one about layers reads a cached graph, and reports nothing without one.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canaryFile as regexCanaryFile, linearRegexCanaries } from './eslint-rules/linear-regex.canaries.js';
import { canaryFile, inheritedKeyCanaries } from './eslint-rules/no-inherited-keys.canaries.js';
import { root } from './install.mjs';
import { judgeLiterals } from './regex-verdicts.mjs';

const bin = (name) => join(root, 'node_modules', '.bin', name);
const run = (name, ...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin(name), ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, output: stdout + stderr };
};

/** Imports that the layers forbid: file, source, and the rule that must say so. */
const canaries = [
  ['libs/machinery/src/canary-upward.ts', "import '@annex/server';\n"],
  ['libs/storage/src/canary-sibling.ts', "import '@annex/client';\n"],
  ['apps/discovery/src/canary-app.ts', "import '@annex/crd-registry';\n"],
  ['libs/server/src/canary-process.ts', "import '@annex/process';\n"],
  ['libs/server/src/canary-relative.ts', "import '../../storage/src/store.ts';\n"],
  ['libs/server/src/canary-deep.ts', "import '@annex/storage/src/store.ts';\n"],
  ['libs/server/src/canary-testkit.ts', "import '@annex/testkit';\n"],
  ['apps/discovery/src/canary-app-testkit.ts', "import '@annex/app-testkit';\n"],
];

process.env.NX_DAEMON = 'false';

let passed = 0;
let failed = 0;
const verdict = (name, ok, output) => {
  if (ok) passed++;
  else failed++;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name}\n${ok ? '' : output}`);
};

rmSync(join(root, '.nx'), { recursive: true, force: true });
const graph = run('nx', 'graph', `--file=${join(root, '.nx', 'graph.json')}`);
verdict('the graph of projects', graph.status === 0, graph.output);

// Only the expressions of these files are judged; the lint takes the verdicts from the cache.
const sources = globSync('{libs,apps,examples}/**/src/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules/**'],
});
const tests = /\.(?:test|contract|fixture|e2e)\.ts$/;
const judged = sources.filter((path) => !tests.test(path)).map((path) => join(root, path));
await judgeLiterals(judged);
const disabled = judged.filter((path) =>
  /eslint-disable(?!-next-line annex\/no-inherited-keys)/.test(readFileSync(path, 'utf8')),
);
verdict(
  'no comment switches the rule about regular expressions off',
  disabled.length === 0,
  disabled.join('\n'),
);

const lint = run('eslint', '.', '--max-warnings=0');
verdict('eslint', lint.status === 0 && !lint.output.includes('will be skipped'), lint.output);

// The texts are linted as if they stood in those files; none is written, for other checks run at the same time.
const { ESLint } = await import('eslint');
// Files that do not exist have no types.
const withoutTypes = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { project: null } },
  rules: { 'annex/no-inherited-keys': 'off' },
};
const eslint = new ESLint({ cwd: root, overrideConfig: withoutTypes });
for (const [file, source] of canaries) {
  const [result] = await eslint.lintText(source, { filePath: join(root, file) });
  const refused = result.messages.some(({ ruleId }) =>
    /module-boundaries|restricted-imports/.test(ruleId ?? ''),
  );
  verdict(`a forbidden import is refused: ${file}`, refused, `${JSON.stringify(result.messages)}\n`);
}

const typed = new ESLint({ cwd: root });
for (const { name, source, refused } of inheritedKeyCanaries) {
  const [{ messages }] = await typed.lintText(source, { filePath: join(root, canaryFile) });
  const isRefused = messages.some(({ ruleId }) => ruleId === 'annex/no-inherited-keys');
  const isParsed = messages.every(({ fatal }) => fatal !== true);
  const title = `a lookup that ${refused ? 'may find inherited names is refused' : 'is safe passes'}: ${name}`;
  verdict(title, isParsed && isRefused === refused, `${JSON.stringify(messages)}\n`);
}

for (const { name, source, refused } of linearRegexCanaries) {
  const [{ messages }] = await typed.lintText(source, { filePath: join(root, regexCanaryFile) });
  const isRefused = messages.some(({ ruleId }) => ruleId === 'annex/linear-regex');
  const title = `a regular expression that is ${refused ? 'not linear is refused' : 'linear passes'}: ${name}`;
  verdict(title, isRefused === refused, `${JSON.stringify(messages)}\n`);
}

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
