/** A block of commands of a guide, with the lines that its output must have. */
export interface GuideBlock {
  /** The line of the page where it begins. */
  line: number;
  commands: string;
  /** Lines in the order in which they must appear; `…` stands for any text. */
  expected: string[];
}

/** The `sh` blocks of a page, each with the `text` block that follows it. Blocks of other languages are for people. */
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

/** The first expected line that an output does not have after those before it; `undefined` where all are there. */
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
