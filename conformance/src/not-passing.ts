import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../not-passing.txt', import.meta.url);

/** The file with the cases that do not pass yet: `[section]` lines, each followed by lines of `area/name`. */
export class NotPassing {
  private readonly head: string[] = [];
  private readonly sections = new Map<string, Set<string>>();

  static read(): NotPassing {
    return new NotPassing(readFileSync(path, 'utf8'));
  }

  constructor(text: string) {
    let section: Set<string> | undefined;
    for (const line of text.split('\n').map((raw) => raw.trim())) {
      const name = /^\[(.+)\]$/.exec(line)?.[1];
      if (name !== undefined) this.sections.set(name, (section = new Set()));
      else if (section === undefined) this.head.push(line);
      else if (line !== '' && !line.startsWith('#')) section.add(line);
    }
  }

  of(section: string): ReadonlySet<string> {
    return this.sections.get(section) ?? new Set();
  }

  /** Replaces the content of a section. */
  replace(section: string, names: Iterable<string>): void {
    this.sections.set(section, new Set(names));
  }

  toString(): string {
    const parts = [...this.sections].map(([name, names]) =>
      [`[${name}]`, ...[...names].sort(), ''].join('\n'),
    );
    return `${this.head.join('\n').trimEnd()}\n\n${parts.join('\n')}`;
  }

  write(): void {
    writeFileSync(path, this.toString());
  }
}
