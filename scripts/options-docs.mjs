// Writes docs/reference/options-*.md from the options tables of the apps. Runs on Node 24, which reads TypeScript.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatMarkdown } from './format-markdown.mjs';
import { root } from './install.mjs';

const importPath = (path) => import(pathToFileURL(join(root, path)).href);

/** Returns the path and the text of each page. */
export async function optionsPages() {
  const { optionsMarkdown } = await importPath('libs/runtime/src/index.ts');
  const pages = [];
  for (const { app, file } of tableFiles()) {
    const module = await importPath(`apps/${app}/src/${file}`);
    const tables = Object.values(module).filter(isTable);
    if (tables.length !== 1)
      throw new Error(`apps/${app}/src/${file}: ${tables.length} options tables, not one`);
    const name = commandOf(app, file);
    const text = `# Options of ${title(name)}\n\n${preface}\n\n${optionsMarkdown(tables[0])}`;
    pages.push({
      path: `docs/reference/options-${name}.md`,
      text: await formatMarkdown(text),
    });
  }
  const { kubeApiserverFlagsPage } = await importPath('apps/cli/src/kube-apiserver-flags-page.ts');
  pages.push({
    path: 'docs/reference/kube-apiserver-flags.md',
    text: await formatMarkdown(kubeApiserverFlagsPage()),
  });
  return pages;
}

const preface =
  'The command line has priority over the environment, and the environment over the default. ' +
  '`node scripts/options-docs.mjs` writes this page from the table that `--help` prints.';

/** Returns the command of a table: each `apps/cli/src/*-options.ts` is a command of `annex`; every other app has one table. */
const commandOf = (app, file) => (app === 'cli' ? `annex-${file.replace('-options.ts', '')}` : app);
const title = (name) => (name.startsWith('annex-') ? `\`${name.replace('-', ' ')}\`` : `the app ${name}`);

const tableFiles = () =>
  readdirSync(join(root, 'apps'))
    .filter((app) => existsSync(join(root, 'apps', app, 'src')))
    .flatMap((app) =>
      readdirSync(join(root, 'apps', app, 'src'))
        .filter((file) => /^([\w-]+-)?options\.ts$/.test(file))
        .map((file) => ({ app, file })),
    );

const isTable = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).length > 0 &&
  Object.values(value).every((row) => typeof row?.flag === 'string' && typeof row?.help === 'string');

if (import.meta.filename === process.argv[1]) {
  for (const { path, text } of await optionsPages()) writeFileSync(join(root, path), text);
}
