// `npm run site`: builds the documentation into dist/site. Needs the built packages (`npm run pack`) for the reference of their API.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../install.mjs';
import { siteErrors } from './check.ts';
import { installTools, toolFolder } from './install.mjs';
import { dropBrokenAnchors } from './links.ts';
import { siteAssets, sitePages } from './pages.ts';
import { sidebarOf } from './sidebar.ts';
import { slugify } from './slugify.mjs';

/** The declarations of the published packages, by the name of the import. */
const declarations = {
  '@annex/sdk': 'annex/dist/sdk.d.ts',
  '@annex/testing': 'annex/dist/testing.d.ts',
  '@annex/scheduler': 'annex/dist/scheduler.d.ts',
  '@annex/client': '@annex/client/dist/index.d.ts',
  '@annex/cel': '@annex/cel/dist/index.d.ts',
};
const folder = join(toolFolder, 'pages');
const output = join(root, 'dist', 'site');

installTools();
rmSync(folder, { recursive: true, force: true });
const pages = sitePages(root);
for (const { path, markdown } of pages) write(path, markdown);
for (const [source, path] of siteAssets(root)) cpSync(join(root, source), join(folder, path));
const api = Object.entries(declarations).map(([name, file]) => apiPages(name, file));
for (const file of ['config.mjs', 'slugify.mjs'])
  cpSync(join(root, 'scripts', 'site', file), join(folder, '.vitepress', file));
write(join('.vitepress', 'sidebar.json'), JSON.stringify(sidebarOf(pages, api)));
tool('vitepress', 'bin/vitepress.js', 'build', folder, '--outDir', output);

const errors = siteErrors(output);
for (const error of errors) process.stderr.write(`${error}\n`);
if (errors.length > 0) process.exit(1);
process.stdout.write(`${pages.length} pages and the API of ${api.length} packages are in ${output}\n`);

/** Writes the reference of a package, one page for all its exports. Returns the page. */
function apiPages(name, file) {
  const path = join('api', `${name.replace('@annex/', '')}.md`);
  const entry = join(root, 'dist', 'packages', file);
  if (!existsSync(entry)) {
    process.stderr.write(`${entry} is missing: run npm run pack\n`);
    process.exit(1);
  }
  const made = join(toolFolder, 'api');
  rmSync(made, { recursive: true, force: true });
  const config = join(toolFolder, 'tsconfig.json');
  const compilerOptions = { module: 'nodenext', target: 'esnext', types: ['node'], skipLibCheck: true };
  const typeRoots = [join(root, 'node_modules', '@types')];
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files: [entry] }),
  );
  const options = ['--options', join(root, 'scripts', 'site', 'typedoc.json'), '--tsconfig', config];
  tool('typedoc', 'bin/typedoc', ...options, '--name', name, '--out', made, entry);
  const [only] = readdirSync(made).filter((text) => text.endsWith('.md'));
  // The pages allow no HTML.
  const markdown = readFileSync(join(made, only), 'utf8').replaceAll(/<a id="[^"]*"><\/a> ?/g, '');
  write(path, dropBrokenAnchors(markdown, slugify));
  return { path, title: name };
}

function write(path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function tool(name, script, ...args) {
  const path = join(toolFolder, 'node_modules', name, script);
  const { status } = spawnSync(process.execPath, [path, ...args], {
    cwd: toolFolder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
