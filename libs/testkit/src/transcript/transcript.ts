/** A command of a transcript and its recorded output. */
export interface TranscriptStep {
  kind: 'command';
  command: string;
  /** The directives before it, without their `@`. */
  directives: readonly string[];
  /** Lines of standard output begin with `| `, lines of standard error with `! `. */
  output: readonly string[];
  code: number | undefined;
}

/** A file that a transcript writes to the working directory. */
export interface TranscriptFile {
  kind: 'file';
  path: string;
  text: string;
}

/** A recorded shell session. */
export interface Transcript {
  /** `title`, `about`, `kubectl`, `needs`. */
  headers: Readonly<Record<string, string>>;
  items: readonly (TranscriptStep | TranscriptFile)[];
}

const directive = /^@(?:until|quiet|exit|sort|sub|kubectl)\b/;

/** Reads a transcript. */
export function parseTranscript(text: string): Transcript {
  return new Parser(text.split('\n')).parse();
}

class Parser {
  private readonly lines: readonly string[];
  private position = 0;
  private readonly headers: Record<string, string> = {};
  private readonly items: (TranscriptStep | TranscriptFile)[] = [];
  private directives: string[] = [];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  parse(): Transcript {
    while (this.position < this.lines.length) this.line(this.lines[this.position++] ?? '');
    return { headers: this.headers, items: this.items };
  }

  private line(line: string): void {
    if (line.startsWith('<<< ')) this.file(line.slice(4).trim());
    else if (directive.test(line)) this.directives.push(line.slice(1));
    else if (line.startsWith('$ ')) this.command(line.slice(2));
    else {
      const header = /^(title|about|kubectl|needs): (.*)$/.exec(line);
      if (header !== null) this.headers[header[1] ?? ''] = header[2] ?? '';
    }
  }

  private take(matches: (line: string) => boolean): string[] {
    const taken: string[] = [];
    for (let line = this.lines[this.position]; line !== undefined && matches(line);) {
      taken.push(line);
      line = this.lines[++this.position];
    }
    return taken;
  }

  private file(path: string): void {
    const lines = this.take((line) => line !== '>>>');
    this.position++;
    this.items.push({ kind: 'file', path, text: `${lines.join('\n')}\n` });
  }

  private command(first: string): void {
    const more = this.take((line) => line.startsWith('> ')).map((line) => line.slice(2));
    const output = this.take((line) => /^[|!]( |$)/.test(line)).map((line) => line.trimEnd());
    const exit = this.take((line) => line.startsWith('= ')).map((line) => Number(line.slice(2)));
    this.items.push({
      kind: 'command',
      command: [first, ...more].join('\n'),
      directives: this.directives,
      output,
      code: exit[0],
    });
    this.directives = [];
  }
}

/**
 * Returns the value of a directive of a step: empty if it has none, `undefined` if the directive is absent.
 */
export function directiveOf(step: TranscriptStep, name: string): string | undefined {
  const found = step.directives.find(
    (text) => text === name || /^\s/.test(text.startsWith(name) ? text.slice(name.length) : '-'),
  );
  return found?.slice(name.length).trim();
}

/** Returns the values of a directive that can occur several times. */
export function directivesOf(step: TranscriptStep, name: string): string[] {
  return step.directives
    .filter((text) => text.startsWith(`${name} `))
    .map((text) => text.slice(name.length + 1));
}
