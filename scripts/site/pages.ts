import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewriteLinks, type Target } from './links.ts';

/** A page of the site. */
export interface Page {
  /** Its path in the site, such as `guides/first-steps.md`. */
  path: string;
  title: string;
  markdown: string;
}

/** Returns the pages of the repository, by the folders of the site. */
export function sitePages(root: string): Page[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository?: { url: string };
  };
  const paths = new Map(sourcesOf(root).map((source) => [source, pagePath(source)]));
  const repository = manifest.repository?.url.replace(/^git\+|\.git$/g, '');
  const targetOf = (path: string): Target => {
    const page = paths.get(path) ?? paths.get(join(path, 'README.md'));
    if (page !== undefined) return { page };
    if (/\.(?:svg|png)$/.test(path)) return { page: assetPath(path) };
    return repository === undefined ? undefined : { url: `${repository}/blob/main/${path}` };
  };
  return [...paths].map(([source, path]) => {
    const text = readFileSync(join(root, source), 'utf8');
    return {
      path,
      title: titleOf(text, path),
      markdown: rewriteLinks(text, { source, page: path }, targetOf),
    };
  });
}

/** The pictures of the pages: their path in the repository, and in the site. */
export const siteAssets = (root: string): [source: string, path: string][] =>
  globSync('docs/**/*.{svg,png}', { cwd: root }).map((source) => [source, assetPath(source)]);

const sourcesOf = (root: string): string[] =>
  [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...globSync('docs/**/*.md', { cwd: root }),
    ...globSync('{libs,apps,examples}/*/README.md', { cwd: root }),
    ...['conformance', 'bench', 'fuzz'].map((folder) => `${folder}/README.md`),
  ]
    .filter((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile())
    .sort();

/** `docs/guides/x.md` becomes `guides/x.md`, `libs/x/README.md` becomes `packages/x.md`. */
function pagePath(source: string): string {
  if (source === 'README.md') return 'index.md';
  if (source.startsWith('docs/')) return source.slice('docs/'.length);
  if (source.endsWith('/README.md')) return `packages/${dirname(source).split('/').at(-1)}.md`;
  return `${source.slice(0, -'.md'.length).toLowerCase()}.md`;
}

const assetPath = (source: string): string => source.replace(/^docs\//, '');

const titleOf = (markdown: string, path: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? path;
