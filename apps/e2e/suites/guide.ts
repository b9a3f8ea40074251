/** A block of commands of a guide, with the expected lines of its output. */
export interface GuideBlock {
  /** The line of the page at which the block begins. */
  line: number;
  commands: string;
  /** All lines of the output in their order; undefined if the page does not show the output. `…` matches any text, and a line `…` any lines. */
  expected: string[] | undefined;
}

/** Returns the `sh` blocks of a page, each with the `text` block that follows it. Blocks of other languages are not run. */
export function guideBlocks(markdown: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  for (const match of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    const [, language, text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    const block = blocks.at(-1);
    if (language === 'sh') blocks.push({ line, commands: text, expected: undefined });
    else if (language === 'text' && block !== undefined) block.expected = linesOf(text);
  }
  return blocks;
}

/** Returns the guides in the order in which the README lists them. */
export const guidesOf = (readme: string): string[] =>
  [...readme.matchAll(/^- \[[^\]]+\]\(docs\/guides\/([\w-]+\.md)\)$/gm)].map(([, page = '']) => page);

/**
 * Returns the first line in which the output of a block differs from the page; `undefined` if there is none. A block without expected output
 * must report no errors.
 */
export function differenceOf(output: string, expected: readonly string[] | undefined): string | undefined {
  const rows = linesOf(output);
  if (expected === undefined) return rows.find((row) => /\berror\b|not found|no such/i.test(row));
  let next = 0;
  let skips = false;
  for (const line of expected) {
    if (line === '…') {
      skips = true;
      continue;
    }
    const pattern = new RegExp(`^${line.split('…').map(escape).join('.*')}$`);
    const at = rows.findIndex((row, i) => i >= next && pattern.test(row));
    if (at < 0) return `missing: ${line}`;
    if (at > next && !skips) return `not on the page: ${rows[next]}`;
    next = at + 1;
    skips = false;
  }
  return skips || next === rows.length ? undefined : `not on the page: ${rows[next]}`;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
