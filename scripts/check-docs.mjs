// Checks the parts of the documentation that no compiler reads: links, pages generated from code, the READMEs of packages, the reasons for
// dependencies, the terms of the glossary, the numbers in pages, the titles of commits.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { coveragePage, coveragePath } from './coverage.mjs';
import { root } from './install.mjs';
import { optionsPages } from './options-docs.mjs';
import { readmes, runExamples } from './readme-examples.mjs';
import { slugify } from './site/slugify.mjs';

let passed = 0;
let failed = 0;
const check = (ok, message) => {
  if (ok) passed++;
  else {
    failed++;
    process.stdout.write(`FAIL ${message}\n`);
  }
};

const git = (...args) =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
const tracked = git('ls-files', '-co', '--exclude-standard', '*.md');
const pages = tracked.status === 0 ? tracked.stdout.trim().split('\n').filter(Boolean) : [];

const anchorsOf = (path) => {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slugify(heading)));
};

for (const page of pages.filter((path) => existsSync(join(root, path)))) {
  const text = readFileSync(join(root, page), 'utf8');
  // The formatter turns them into quotations.
  check(!/^(?:<<<<<<< |(?:> ?){7} )/m.test(text), `${page}: has conflict markers of git`);
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  for (const [, target] of prose.matchAll(/\[[^\]]*\]\(([^)\s]+)[^)]*\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const path = file === '' ? join(root, page) : join(root, dirname(page), decodeURIComponent(file));
    check(existsSync(path), `${page}: no file is at ${target}`);
    if (anchor && path.endsWith('.md') && existsSync(path)) {
      check(anchorsOf(path).has(anchor), `${page}: no heading for ${target}`);
    }
  }
}

const textOf = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');

async function checkGenerated() {
  check(textOf(coveragePath) === (await coveragePage()), `${coveragePath}: run node scripts/coverage.mjs`);
  for (const { path, text } of await optionsPages())
    check(textOf(path) === text, `${path}: run node scripts/options-docs.mjs`);
}

/** Checks that the metrics of the page of operations exist: their names, or their prefix and the rest, are in the code. */
function checkMetrics() {
  const page = 'docs/reference/operations.md';
  const sources = git('ls-files', 'libs/*.ts', 'apps/*.ts').stdout.split('\n').filter(isProduct);
  const code = sources.map(textOf).join('\n');
  const names = [...textOf(page).matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name);
  check(names.length > 0, `${page}: no metrics`);
  for (const name of names) {
    const [prefix, rest] = name.split(/(?<=^apiserver_flowcontrol_)/);
    const exists = code.includes(`'${name}'`) || (rest && code.includes(`'${prefix}`) && code.includes(rest));
    check(exists, `${page}: there is no metric ${name}`);
  }
}

const isProduct = (path) => path !== '' && !/\.(test|contract|fixture|e2e|fuzz)\.ts$/.test(path);

/** Checks that every dependency has a row with its users and a reason, in the table of its kind, and that there are no other rows. */
function checkDependencies() {
  const page = 'docs/decisions/dependencies.md';
  const [atRuntime, inDevelopment = ''] = textOf(page).split('For development');
  const [reasons, installed = ''] = atRuntime.split('## What a production installation contains');
  const binaries = Object.keys(JSON.parse(textOf('package.json')).optionalDependencies);
  checkTable(
    page,
    reasons,
    usersOf(
      ['libs', 'apps', 'examples'],
      'dependencies',
      binaries.map((name) => [name, 'start']),
    ),
  );
  checkProductionPackages(page, installed);
  const more = Object.keys(JSON.parse(textOf('bench/package.json')).devDependencies).filter(isForeign);
  checkTable(
    page,
    inDevelopment,
    usersOf(['libs', 'apps', 'examples'], 'devDependencies', [
      ...more.map((name) => [name, 'bench']),
      ['recheck', 'lint'],
      ['typescript-7', 'typecheck'],
    ]),
  );
}

/** Checks that the page lists exactly the packages that `npm ci --omit=dev` installs, and their number. */
function checkProductionPackages(page, text) {
  const { packages } = JSON.parse(textOf('package-lock.json'));
  const production = Object.entries(packages)
    .filter(
      ([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.dev && !entry.devOptional,
    )
    .map(([path]) => path.replace(/^node_modules\//, '').replaceAll('/node_modules/', ' > '));
  const listed = new Set([...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  for (const name of production)
    check(listed.has(name), `${page}: a production installation contains ${name}`);
  for (const name of listed)
    check(production.includes(name), `${page}: no production installation contains ${name}`);
  const [, count] = text.match(/^(\d+) packages\b/m) ?? [];
  check(
    Number(count) === production.length,
    `${page}: the lock file names ${production.length} packages for production`,
  );
}

const isForeign = (name) => !name.startsWith('@annex/');

function usersOf(folders, field, known) {
  const used = new Map(known.map(([name, user]) => [name, [user]]));
  for (const folder of folders.filter((name) => existsSync(join(root, name)))) {
    for (const user of readdirSync(join(root, folder))) {
      const listed = JSON.parse(textOf(`${folder}/${user}/package.json`) || '{}')[field] ?? {};
      for (const name of Object.keys(listed).filter(isForeign))
        used.set(name, [...(used.get(name) ?? []), user].sort());
    }
  }
  return used;
}

function checkTable(page, text, used) {
  const rows = [...text.matchAll(/^\| (`[^|]+`)\s*\| ([^|]+?)\s*\|/gm)];
  const documented = new Map(
    rows.flatMap(([, names, users]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, users.split(', ').sort().join(', ')]),
    ),
  );
  for (const [name, users] of used)
    check(documented.get(name) === users.join(', '), `${page}: ${name} is used by ${users.join(', ')}`);
  for (const name of documented.keys()) check(used.has(name), `${page}: no package depends on ${name}`);
}

/** Checks that the code contains the terms of the glossary. */
function checkGlossary() {
  const page = 'docs/glossary.md';
  const sources = git('grep', '-hIi', '', '--', 'libs/**/*.ts', 'apps/**/*.ts').stdout.toLowerCase();
  const words = sources.replaceAll(/[^a-z0-9]+/g, '');
  for (const [, term] of textOf(page).matchAll(/^- \*\*(.+?)\*\*/gm))
    check(
      words.includes(term.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')),
      `${page}: the code does not contain ${term}`,
    );
}

/** Checks that the README of a package is short, names its layer and its entry points, and has an example that runs. */
async function checkReadmes() {
  for (const page of readmes()) {
    const text = textOf(page);
    const folder = dirname(page);
    const length = text.trimEnd().split('\n').length;
    check(length <= 30, `${page}: ${length} lines, more than 30`);
    const { tags } = JSON.parse(textOf(`${folder}/project.json`));
    const layer = tags.find((tag) => tag.startsWith('layer:')).replace('layer:', '');
    check(text.includes(`\nLayer ${layer}: `), `${page}: does not name layer ${layer}`);
    const entries = textOf(`${folder}/src/index.ts`);
    for (const [, cell] of text.matchAll(/^\| (`.+?) \|/gm))
      for (const [, name] of cell.matchAll(/`([a-zA-Z]\w+)`/g))
        check(
          new RegExp(`\\b${name}\\b`).test(entries),
          `${page}: ${folder}/src/index.ts does not export ${name}`,
        );
    check(folder === 'apps/e2e' || /^```ts$/m.test(text), `${page}: has no example`);
  }
  for (const folder of ['libs', 'apps'])
    for (const name of readdirSync(join(root, folder)))
      check(existsSync(join(root, folder, name, 'README.md')), `${folder}/${name} has no README`);
  for (const [url, error] of await runExamples(readmes()))
    check(error === undefined, `${url.replace(/^readme-example:/, '')}: ${error?.message}`);
}

/** Checks that each published vulnerability of the page on attacks is in the names of the tests that its row links to. */
function checkVulnerabilities() {
  const page = 'docs/reference/attacks.md';
  const rows = [...textOf(page).matchAll(/^\| (CVE-[^|]+?) *\|.*\]\(\.\.\/\.\.\/([^)]+)\) *\|$/gm)];
  check(rows.length > 0, `${page}: no published vulnerabilities`);
  for (const [, ids, test] of rows)
    for (const id of ids.split(', '))
      check(textOf(test).includes(id), `${page}: ${test} does not name ${id}`);
}

/** Numbers in prose that repeat the code: page, the text with the number, the actual number. */
function checkNumbers() {
  const constant = (path, name) =>
    Number(new RegExp(`\\b${name}(?: = |: )([\\d_]+)`).exec(textOf(path))?.[1]?.replaceAll('_', ''));
  const option = (flag) =>
    new RegExp(`^\\| \`--${flag}\`[^\\n]*?\\| \`?(\\d+)\`? `, 'm').exec(
      textOf('docs/reference/options-annex-up.md'),
    )?.[1];
  const steps = (list) => {
    const [, text = ''] = textOf('docs/architecture.md').split(`<!-- steps: ${list} -->\n\n`);
    return text.split('\n\n', 1)[0].split('\n').length;
  };
  const files = constant('apps/cli/src/warm-create.test.ts', 'most');
  const hello = textOf('examples/hello-extension/hello-extension.ts').trimEnd().split('\n').length;
  const filesOfRequest = 'docs/decisions/0009-files-of-a-request.md';
  const turns = 'libs/runtime/src/turns';
  for (const [page, before, actual, after] of [
    [filesOfRequest, 'The request path has ', steps('request'), ' steps'],
    [filesOfRequest, 'the write path ', steps('write'), ':'],
    [filesOfRequest, 'The actual number is ', files, '.'],
    [filesOfRequest, 'A reader does not follow ', files, ' files'],
    ['docs/decisions/0002-forwarding.md', 'A list of ', steps('forward'), ' steps'],
    [
      'docs/guides/see-why-a-request-was-refused.md',
      'the last ',
      Number(option('remembered-traces')),
      ' requests',
    ],
    ['docs/architecture.md', 'the last ', Number(option('remembered-traces')), ' requests'],
    ['docs/architecture.md', 'in slices of ', constant(`${turns}/create-turns.ts`, 'sliceMs'), ' ms'],
    ['docs/architecture.md', 'blocked for ', constant(`${turns}/loop-turn.ts`, 'sliceMs'), ' ms'],
    [
      'docs/architecture.md',
      'exit code ',
      constant('libs/runtime/src/watchdog/watchdog.ts', 'stuckExitCode'),
      '',
    ],
    [
      'docs/architecture.md',
      'stalls above ',
      constant('libs/runtime/src/watchdog/heartbeat.ts', 'stallMs'),
      ' ms',
    ],
    ['README.md', 'in one file of ', hello, ' lines'],
  ]) {
    const words = textOf(page).replaceAll(/\s+/g, ' ');
    check(words.includes(`${before}${actual}${after}`), `${page}: "${before}…${after}" is not ${actual}`);
  }
}

await checkGenerated();
checkNumbers();
await checkReadmes();
checkVulnerabilities();
checkMetrics();
checkDependencies();
checkGlossary();

const title = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([\w, /-]+\))?!?: \S/;
const log = git('log', '--no-merges', '--format=%h %s', '-n', '500');
for (const line of log.status === 0 ? log.stdout.trim().split('\n') : []) {
  const [hash, ...words] = line.split(' ');
  check(title.test(words.join(' ')), `commit ${hash}: no conventional title: ${words.join(' ')}`);
}

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
