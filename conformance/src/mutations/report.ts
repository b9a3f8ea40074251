/** Strings of mutations, which would make groups of one cause differ. */
const sentValues = /(\\?")(?:A b!|-x|aaaaa{60,}(?:…?)|a\/b|\.\.\/x|é|\\\\xc3\\\\xa9|other)\1/g;

/** Prints each set of differences once, with the mutations that cause it. */
export class Report {
  readonly #groups = new Map<string, string[]>();
  requests = 0;
  differing = 0;

  add(title: string, differences: readonly string[]): void {
    this.requests++;
    if (differences.length === 0) return;
    this.differing++;
    const text = differences.join('\n      ').replaceAll(sentValues, '$1<sent>$1');
    const titles = this.#groups.get(text) ?? [];
    titles.push(title);
    this.#groups.set(text, titles);
  }

  /** Writes the groups and a line of totals, and begins again. */
  flush(name: string, lines: number): void {
    for (const [text, titles] of this.#groups) {
      const more =
        titles.length > 1 ? ` (and ${titles.length - 1} more: ${titles.slice(1, 4).join(', ')})` : '';
      const shown = text.split('\n').slice(0, lines).join('\n');
      process.stdout.write(`${name}: ${titles[0]}${more}\n      ${shown}\n`);
    }
    process.stdout.write(
      `#### ${name}: ${this.requests} requests, ${this.differing} differences, ${this.#groups.size} distinct\n`,
    );
    this.#groups.clear();
    this.requests = 0;
    this.differing = 0;
  }
}
