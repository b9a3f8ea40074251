// Lints files outside packages, and checks that the rules work.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canaryFile as regexCanaryFile, linearRegexCanaries } from './eslint-rules/linear-regex.canaries.js';
import { canaryFile, inheritedKeyCanaries } from './eslint-rules/no-inherited-keys.canaries.js';
import { canaryFile as nameCanaryFile, plainNameCanaries } from './eslint-rules/plain-names.canaries.js';
import { root } from './install.mjs';

/** Imports that the layers forbid: file, source, and the rule that must report them. */
const canaries = [
  ['libs/machinery/src/canary-upward.ts', "import '@annex/server';\n", 'annex/layers'],
  ['libs/storage/src/canary-sibling.ts', "import '@annex/client';\n", 'annex/layers'],
  ['libs/cel/src/canary-sibling.ts', "export * from '@annex/schema';\n", 'annex/layers'],
  ['libs/machinery/src/canary-testkit.ts', "await import('@annex/testkit');\n", 'annex/layers'],
  ['apps/discovery/src/canary-app.ts', "import '@annex/crd-registry';\n", 'annex/layers'],
  ['apps/discovery/src/canary-app.test.ts', "import '@annex/crd-registry';\n", 'annex/layers'],
  ['libs/server/src/canary-process.ts', "import '@annex/process';\n", 'annex/layers'],
  ['libs/server/src/canary-relative.ts', "import '../../storage/src/store.ts';\n", 'annex/layers'],
  ['libs/server/src/canary-deep.ts', "import '@annex/storage/src/store.ts';\n", 'no-restricted-imports'],
  ['libs/server/src/canary-testkit.ts', "import '@annex/testkit';\n", 'no-restricted-imports'],
  ['apps/discovery/src/canary-app-testkit.ts', "import '@annex/app-testkit';\n", 'no-restricted-imports'],
  ['libs/machinery/src/canary-undeclared.ts', "import 'pino';\n", 'annex/declared-imports'],
  ['libs/machinery/src/canary-undeclared.test.ts', "import '@annex/runtime';\n", 'annex/declared-imports'],
];

let passed = 0;
let failed = 0;
const verdict = (name, ok, output) => {
  if (ok) passed++;
  else failed++;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name}\n${ok ? '' : output}`);
};
const finish = () => {
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
};

/** Returns the stack only: errors of ESLint have the whole syntax tree as a property. */
const stackOf = (error) => `${error?.stack ?? error}\n`;

/** Runs one check, which returns its errors, or nothing. A thrown error fails the check. */
async function check(name, examine) {
  try {
    const problem = await examine();
    verdict(name, problem === undefined, problem);
  } catch (error) {
    verdict(name, false, stackOf(error));
  }
}

const unless = (ok, messages) => (ok ? undefined : `${JSON.stringify(messages)}\n`);

// Errors of sockets and threads that no check awaits, such as those of recheck's process.
process.on('uncaughtException', (error) => {
  verdict('the lint runs to its end', false, stackOf(error));
  finish();
  process.exit();
});

await check('no comment switches the rule about regular expressions off', () => {
  const tests = /\.(?:test|contract|fixture|e2e)\.ts$/;
  const sources = globSync('{libs,apps,examples}/**/src/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const disabled = sources.filter(
    (path) =>
      !tests.test(path) &&
      /eslint-disable(?!-next-line annex\/no-inherited-keys)/.test(readFileSync(join(root, path), 'utf8')),
  );
  return disabled.length === 0 ? undefined : `${disabled.join('\n')}\n`;
});

await check('eslint', async () => {
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({ cwd: root });
  const results = await eslint.lintFiles(['*.{js,ts}', 'scripts']);
  const failed = results.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
  return failed.length === 0 ? undefined : (await eslint.loadFormatter('stylish')).format(failed);
});

/** For rules that read no types, and for files that do not exist. */
const withoutTypes = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { project: null } },
  rules: { 'annex/no-inherited-keys': 'off' },
};

// The texts are linted under those file names, but not written, because other checks run concurrently.
async function checkImports() {
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({ cwd: root, overrideConfig: withoutTypes });
  for (const [file, source, rule] of canaries) {
    await check(`a forbidden import is refused: ${file}`, async () => {
      const [{ messages }] = await eslint.lintText(source, { filePath: join(root, file) });
      return unless(
        messages.some(({ ruleId }) => ruleId === rule),
        messages,
      );
    });
  }
}

async function checkNames() {
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({ cwd: root, overrideConfig: withoutTypes });
  for (const { name, source, refused } of plainNameCanaries) {
    await check(
      `a name ${refused ? 'of the private vocabulary is refused' : 'passes'}: ${name}`,
      async () => {
        const [{ messages }] = await eslint.lintText(source, { filePath: join(root, nameCanaryFile) });
        const isRefused = messages.some(({ ruleId }) => ruleId === 'annex/plain-names');
        return unless(isRefused === refused, messages);
      },
    );
  }
}

/**
 * Types of the text and of what it imports, because the program of the whole workspace takes seconds to load. Where CI is set, the parser
 * takes the file on disk, instead of the text, unless it is told not to.
 */
const typesOfTheText = {
  files: ['**/*.ts'],
  languageOptions: {
    parserOptions: {
      project: './scripts/eslint-rules/tsconfig.canaries.json',
      disallowAutomaticSingleRunInference: true,
    },
  },
};

async function checkInheritedKeys() {
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({ cwd: root, overrideConfig: typesOfTheText });
  for (const { name, source, refused } of inheritedKeyCanaries) {
    const title = `a lookup that ${refused ? 'may find inherited names is refused' : 'is safe passes'}: ${name}`;
    await check(title, async () => {
      const [{ messages }] = await eslint.lintText(source, { filePath: join(root, canaryFile) });
      const isRefused = messages.some(({ ruleId }) => ruleId === 'annex/no-inherited-keys');
      const isParsed = messages.every(({ fatal }) => fatal !== true);
      return unless(isParsed && isRefused === refused, messages);
    });
  }
}

// These are judged now, to check that recheck returns the verdicts that are committed.
async function checkRegexes() {
  const { lintRegexesOf } = await import('./lint-regexes.mjs');
  const { judgeRequested } = await import('./regex-verdicts.mjs');
  for (const { name, source, refused } of linearRegexCanaries) {
    const title = `a regular expression that is ${refused ? 'not linear is refused' : 'linear passes'}: ${name}`;
    await check(title, async () => {
      const before = await lintRegexesOf(source, regexCanaryFile);
      if (!before.some(({ messageId }) => messageId === 'unjudged' || messageId === 'built'))
        return `an expression without a verdict passed\n`;
      await judgeRequested();
      const messages = await lintRegexesOf(source, regexCanaryFile);
      const isJudged = messages.every(({ fatal, messageId }) => fatal !== true && messageId !== 'unjudged');
      return unless(isJudged && messages.length > 0 === refused, messages);
    });
  }
}

for (const checkAll of [checkImports, checkNames, checkInheritedKeys, checkRegexes]) {
  await checkAll().catch((error) => verdict('planted errors are found', false, stackOf(error)));
}
finish();
