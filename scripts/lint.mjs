// Lints files outside packages, and checks that the rules work.
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { linearRegexCanaries } from './lint-rules/linear-regex.canaries.js';
import { inheritedKeyErrors } from './lint-rules/no-inherited-keys.js';
import { canaryFile, inheritedKeyCanaries } from './lint-rules/no-inherited-keys.canaries.js';
import { importCanaries } from './lint-rules/imports.canaries.js';
import { plainNameCanaries } from './lint-rules/plain-names.canaries.js';
import { programOfTexts } from './lint-rules/typed-program.js';
import { root } from './install.mjs';
import { oxlint } from './oxlint.mjs';
import { judgeAll, otherVerdicts, unjudgedOf, writeVerdicts } from './regex-verdicts.mjs';

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
    (path) => !tests.test(path) && /(?:es|ox)lint-disable/.test(readFileSync(join(root, path), 'utf8')),
  );
  return disabled.length === 0 ? undefined : `${disabled.join('\n')}\n`;
});

await check('files outside packages', async () => {
  const errors = await oxlint(['vitest.config.ts', 'deploy', 'scripts']);
  return errors.length === 0 ? undefined : errors.map(({ text }) => `${text}\n`).join('');
});

/** Texts with and without errors, and the rule that must report them; undefined for none. */
const planted = [
  ...importCanaries.map(([path, source, rule]) => ({ path, source, rule, name: path })),
  ...plainNameCanaries.map(({ name, source, refused }, i) => ({
    path: `libs/machinery/src/name-${i}.ts`,
    source,
    rule: refused ? 'annex(plain-names)' : undefined,
    name,
  })),
  ...linearRegexCanaries.map(({ name, source, refused }, i) => ({
    path: `libs/machinery/src/regex-${i}.ts`,
    source,
    rule: refused ? 'annex(linear-regex)' : undefined,
    name,
    isRegex: true,
  })),
];

/** Lints the texts in a copy of the tree that has only the manifests and the configuration. */
async function checkPlanted() {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'annex-lint-')));
  const write = (path, text) => {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  };
  try {
    const manifests = globSync(['package.json', '{libs,apps}/*/package.json'], { cwd: root });
    for (const path of manifests) write(path, readFileSync(join(root, path), 'utf8'));
    const rules = JSON.stringify(join(root, 'scripts/lint-rules/plugin.js'));
    const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
    write('.oxlintrc.json', config.replace('"./scripts/lint-rules/plugin.js"', rules));
    for (const { path, source } of planted) write(path, source);
    const lint = async () =>
      Map.groupBy(await oxlint(['libs', 'apps'], copy), ({ file }) => relative(copy, file));

    const unjudged = await lint();
    for (const { path, name } of planted.filter(({ isRegex }) => isRegex))
      await check(`an expression without a verdict is reported: ${name}`, () =>
        unless(unjudged.has(path), []),
      );
    // These are judged now, to check that recheck returns the verdicts that are committed.
    const verdicts = join(copy, 'verdicts.json');
    writeVerdicts(await judgeAll(unjudgedOf([...unjudged.values()].flat())), verdicts);
    process.env[otherVerdicts] = verdicts;
    const judged = await lint();
    for (const { path, rule, name } of planted) {
      const found = judged.get(path) ?? [];
      const ok = rule === undefined ? found.length === 0 : found.some((error) => error.rule === rule);
      await check(`${rule ?? 'nothing'} is reported: ${name}`, () => unless(ok, found));
    }
  } finally {
    delete process.env[otherVerdicts];
    rmSync(copy, { recursive: true });
  }
}

/** Checks the rule that reads types in one program of all texts. */
async function checkInheritedKeys() {
  const pathOf = (i) => join(root, dirname(canaryFile), `canary-${i}.ts`);
  const program = programOfTexts(new Map(inheritedKeyCanaries.map(({ source }, i) => [pathOf(i), source])));
  for (const [i, { name, refused }] of inheritedKeyCanaries.entries()) {
    const title = `a lookup that ${refused ? 'may find inherited names is refused' : 'is safe passes'}: ${name}`;
    await check(title, () => {
      const errors = inheritedKeyErrors(program.getTypeChecker(), program.getSourceFile(pathOf(i)));
      return unless(errors.length > 0 === refused, errors);
    });
  }
}

for (const checkAll of [checkPlanted, checkInheritedKeys]) {
  await checkAll().catch((error) => verdict('planted errors are found', false, stackOf(error)));
}
finish();
