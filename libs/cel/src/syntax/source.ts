/** The offset of an error without a position. */
export const noOffset = -1;
/** The offset of nodes that a syntax error left without a text: the column before the first one. */
export const beforeText = -2;

/** An error in an expression with its UTF-16 offset. */
export interface Issue {
  readonly offset: number;
  readonly message: string;
}

/** A line counted from 1 and a column counted from 0, in code points. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** The maximum length of a line in an error message, in bytes; longer lines are omitted. Source: cel-go. */
export const maxSnippetBytes = 16_384;
/** The maximum number of errors in a `CompileError`'s message. Source: cel-go. */
export const maxExpressionErrors = 100;

/** The text of an expression, which formats positions in it. */
export class Source {
  readonly text: string;
  readonly description: string;
  #lineStarts: number[] | undefined;

  constructor(text: string, description = '<input>') {
    this.text = text;
    this.description = description;
  }

  /** Returns the line and column of an offset. */
  location(offset: number): Location {
    if (offset === noOffset) return { line: -1, column: -1 };
    // cel-go's parser has no column in an empty text.
    if (offset === beforeText || this.text === '') return { line: 1, column: -1 };
    const starts = this.#lines();
    let line = starts.findLastIndex((start) => start <= offset);
    if (line < 0) line = 0;
    return { line: line + 1, column: codePoints(this.text.slice(starts[line], offset)) };
  }

  /** Formats all errors in order of position, each with its line and a caret below the column. */
  display(issues: readonly Issue[]): string {
    const shown = issues
      .slice(0, maxExpressionErrors)
      .map((issue) => ({ issue, at: this.location(issue.offset) }))
      .sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
      .map(({ issue, at }) => this.#displayIssue(issue, at));
    if (issues.length > maxExpressionErrors)
      shown.push(`${issues.length - maxExpressionErrors} more errors were truncated`);
    return shown.join('\n');
  }

  #displayIssue({ message }: Issue, { line, column }: Location): string {
    const head = `ERROR: ${this.description}:${line}:${column + 1}: ${message}`;
    const snippet = this.#line(line);
    if (snippet === undefined || isTooLong(snippet)) return head;
    const text = snippet.replaceAll('\t', ' ');
    const characters = [...text];
    const dots = characters.slice(0, Math.max(column, 0)).map((c) => (isWide(c) ? '\uff0e' : '.'));
    const under = characters[Math.max(column, 0)];
    return `${head}\n | ${text}\n | ${dots.join('')}${under !== undefined && isWide(under) ? '\uff3e' : '^'}`;
  }

  #line(line: number): string | undefined {
    if (this.text === '') return undefined;
    const starts = this.#lines();
    const start = starts[line - 1];
    if (start === undefined) return undefined;
    const next = starts[line];
    return this.text.slice(start, next === undefined ? undefined : next - 1);
  }

  #lines(): readonly number[] {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = starts;
    return starts;
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A text has at least as many bytes as characters; a long one is not read for each of a hundred errors. */
const isTooLong = (line: string): boolean =>
  line.length > maxSnippetBytes || byteLength(line) > maxSnippetBytes;

function byteLength(text: string): number {
  let bytes = 0;
  for (const c of text) {
    const code = c.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function isWide(character: string): boolean {
  return character.codePointAt(0)! >= 0x80;
}
