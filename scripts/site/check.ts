import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const loading =
  /<(?:script|img|iframe|source|video)\b[^>]*?\bsrc="((?:https?:)?\/\/[^"]+)"|<link\b(?![^>]*\brel="canonical")[^>]*?\bhref="((?:https?:)?\/\/[^"]+)"|url\(["']?((?:https?:)?\/\/[^)"']+)/g;

/** Returns the errors of a built site: resources of other servers, and links to pages or headings that do not exist. */
export function siteErrors(folder: string): string[] {
  const files = globSync('**/*.{html,css}', { cwd: folder });
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const idsOf = memoized((file) => {
    const text = texts.get(file);
    return text && new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => decoded(id)));
  });
  return [...texts].flatMap(([file, text]) => [
    ...[...text.matchAll(loading)].map(([, ...urls]) => `${file} loads ${urls.find(Boolean)}`),
    ...[...new Set([...text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)].map(([, href = '']) => decoded(href)))]
      .filter((href) => !/^(?:[a-z]+:|\/\/)/.test(href) && !isShown(href, file, idsOf))
      .map((href) => `${file} links to ${href}, which does not exist`),
  ]);
}

function isShown(
  href: string,
  from: string,
  idsOf: (file: string) => ReadonlySet<string> | undefined | '',
): boolean {
  const [path = '', anchor] = href.split('#');
  const target =
    path === '' ? from : posix.join('/', path.startsWith('/') ? '' : posix.dirname(from), path).slice(1);
  const ids = idsOf(fileOf(target));
  return Boolean(ids) && (anchor === undefined || anchor === '' || (ids as ReadonlySet<string>).has(anchor));
}

const fileOf = (path: string): string => {
  if (path === '' || path.endsWith('/')) return `${path}index.html`;
  return path.endsWith('.html') ? path : `${path}.html`;
};

const decoded = (text: string): string =>
  decodeURIComponent(text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"));

function memoized<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as T;
  };
}
