/** A block of commands of a guide, with the expected lines of its output. */
export interface GuideBlock {
  /** The line of the page at which the block begins. */
  line: number;
  commands: string;
  /** Lines in their order; `…` matches any text. */
  expected: string[];
}

/** Returns the `sh` blocks of a page, each with the `text` block that follows it. Blocks of other languages are not run. */
export function guideBlocks(markdown: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  for (const match of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
    const [, language, text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    if (language === 'sh') blocks.push({ line, commands: text, expected: [] });
    else if (language === 'text')
      blocks.at(-1)?.expected.push(...text.split('\n').filter((row) => row.trim() !== ''));
  }
  return blocks;
}

/** Returns the first expected line that is missing after the previous ones; `undefined` if all are found. */
export function missingLine(output: string, expected: readonly string[]): string | undefined {
  const rows = output.split('\n');
  let from = 0;
  for (const line of expected) {
    const pattern = new RegExp(line.trim().split('…').map(escape).join('.*'));
    const at = rows.findIndex((row, i) => i >= from && pattern.test(row));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
