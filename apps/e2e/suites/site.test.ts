import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { siteErrors } from '../../../scripts/site/check.ts';
import { rewriteLinks, type Target } from '../../../scripts/site/links.ts';
import { sitePages } from '../../../scripts/site/pages.ts';
import { sidebarOf } from '../../../scripts/site/sidebar.ts';

const targets = new Map<string, Target>([
  ['docs/guides/b.md', { page: 'guides/b.md' }],
  ['libs/sdk', { page: 'packages/sdk.md' }],
  ['libs/sdk/src/index.ts', { url: 'https://example.com/index.ts' }],
]);

describe('links of a page', () => {
  it.each([
    ['to another page', '[b](b.md)', '[b](./b.md)'],
    ['to a heading of another page', '[b](b.md#use)', '[b](./b.md#use)'],
    ['to a heading of the same page', '[here](#use)', '[here](#use)'],
    ['to the folder of a package', '[`sdk`](../../libs/sdk)', '[`sdk`](../packages/sdk.md)'],
    ['to a file elsewhere', '[x](../../libs/sdk/src/index.ts)', '[x](https://example.com/index.ts)'],
    ['to a file that is not shown', 'see [`x`](../../x.ts).', 'see `x`.'],
    ['to another server', '[k](https://kubernetes.io/)', '[k](https://kubernetes.io/)'],
    ['in code', '```md\n[b](b.md)\n```', '```md\n[b](b.md)\n```'],
  ])('%s', (_, markdown, expected) => {
    const page = { source: 'docs/guides/a.md', page: 'guides/a.md' };
    expect(rewriteLinks(markdown, page, (path) => targets.get(path))).toBe(expected);
  });
});

describe('a built site', () => {
  it.each<[what: string, files: Record<string, string>, errors: string[]]>([
    ['with links that exist', { 'index.html': '<a href="/a#x">', 'a.html': '<h2 id="x"><a href="./">' }, []],
    [
      'with a link to a missing page',
      { 'index.html': '<a href="/b">' },
      ['index.html links to /b, which does not exist'],
    ],
    [
      'with a link to a missing heading',
      { 'g/a.html': '<a href="b#y">', 'g/b.html': '<h2 id="x">' },
      ['g/a.html links to b#y, which does not exist'],
    ],
    [
      'with a font of another server',
      { 'a.css': 'src: url(https://fonts.example.com/a.woff2)' },
      ['a.css loads https://fonts.example.com/a.woff2'],
    ],
    [
      'with a script of another server',
      { 'a.html': '<script async src="//cdn.example.com/a.js">' },
      ['a.html loads //cdn.example.com/a.js'],
    ],
  ])('%s', (_, files, errors) => {
    using folder = tempFolder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    }
    expect(siteErrors(folder.path)).toEqual(errors);
  });
});

it('the navigation has every page once, and the guides in the order of the README', () => {
  const pages = sitePages(fileURLToPath(new URL('../../../', import.meta.url)));
  const groups = sidebarOf(pages, []);
  const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
  expect(new Set(links).size).toBe(links.length);
  expect(links).toHaveLength(pages.length);
  const guides = groups.find(({ text }) => text === 'Guides')?.items.map(({ link }) => link) ?? [];
  expect(guides[0]).toBe('/guides/first-steps');
});
