import { dirname, posix } from 'node:path';

/** Where the target of a link is shown: a page of the site, an address elsewhere, or nowhere. */
export type Target = { page: string } | { url: string } | undefined;

const codeBlocks = /^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gm;
const links = /(!?)\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s]+)\)/g;

/**
 * Rewrites the relative links of a page. `source` is its path in the repository, `page` that in the site. Links to files that the site does
 * not show become their text.
 */
export function rewriteLinks(
  markdown: string,
  { source, page }: { source: string; page: string },
  targetOf: (path: string) => Target,
): string {
  return outsideOfCode(markdown, (text) =>
    text.replaceAll(links, (link, image: string, label: string, href: string) => {
      if (/^(?:[a-z]+:|#)/.test(href)) return link;
      const [path = '', anchor] = href.split('#');
      const target = targetOf(posix.normalize(posix.join(dirname(source), path)));
      if (target === undefined) return image === '' ? label : '';
      const end = anchor === undefined ? '' : `#${anchor}`;
      const address = 'url' in target ? target.url : relative(page, target.page);
      return `${image}[${label}](${address}${end})`;
    }),
  );
}

/** A link that begins with `./` or `../`, as VitePress wants it. */
function relative(from: string, to: string): string {
  const path = posix.relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

function outsideOfCode(markdown: string, replace: (text: string) => string): string {
  let result = '';
  let end = 0;
  for (const block of markdown.matchAll(codeBlocks)) {
    result += replace(markdown.slice(end, block.index)) + block[0];
    end = block.index + block[0].length;
  }
  return result + replace(markdown.slice(end));
}

/** Replaces links to headings that a page does not have by their text. TypeDoc counts equal headings in another way than VitePress. */
export function dropBrokenAnchors(markdown: string, slugify: (heading: string) => string): string {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.matchAll(/^#+ (.+)$/gm)) {
    const slug = slugify(heading.replaceAll('`', ''));
    let anchor = slug;
    for (let i = 1; anchors.has(anchor); i++) anchor = `${slug}-${i}`;
    anchors.add(anchor);
  }
  return markdown.replaceAll(/\[([^\]\n]+)\]\(#([^)\s]+)\)/g, (link, label: string, anchor: string) =>
    anchors.has(anchor) ? link : label,
  );
}
