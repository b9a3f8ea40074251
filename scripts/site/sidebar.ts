import type { Page } from './pages.ts';

interface Item {
  text: string;
  link: string;
}

interface Group {
  text: string;
  collapsed?: boolean;
  items: Item[];
}

/** The pages outside of folders. */
const first = [
  'index.md',
  'architecture.md',
  'glossary.md',
  'changelog.md',
  'contributing.md',
  'security.md',
];

/** Returns the navigation: guides in the order in which the README lists them, other pages by name. */
export function sidebarOf(pages: readonly Page[], api: readonly Page[]): Group[] {
  const readme = pages.find(({ path }) => path === 'index.md')?.markdown ?? '';
  const placeOf = ({ path }: Page) => readme.indexOf(`(./${path})`);
  const group = (text: string, folder: string, all: readonly Page[], collapsed = true): Group => ({
    text,
    collapsed,
    items: all.filter(({ path }) => path.startsWith(folder)).map(itemOf),
  });
  const guides = pages.toSorted((a, b) => placeOf(a) - placeOf(b));
  return [
    { text: 'Annex', items: first.flatMap((name) => pages.filter(({ path }) => path === name)).map(itemOf) },
    group('Guides', 'guides/', guides, false),
    group('Reference', 'reference/', pages),
    group('API of the packages', 'api/', api),
    group('Packages of the repository', 'packages/', pages),
    group('Decisions', 'decisions/', pages),
  ];
}

const itemOf = ({ path, title }: Page): Item => ({
  text: title.replaceAll('`', ''),
  link: `/${path.replace(/(?:index)?\.md$/, '')}`,
});
