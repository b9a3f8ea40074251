/** Header fields by lower-case name, the values of one name joined by a comma. Without a prototype: one may be called `constructor`. */
export type Fields = Record<string, string | undefined>;

/**
 * The header lines of an answer in their order, RFC 9110 section 5. Names are as they were sent, and are found in lower
 * case. A head has few lines and is asked for few of them: they are looked through, and never put into a map.
 */
export class FieldLines {
  /** Name, lower-case name and value by turns. */
  #lines: string[] = [];

  add(name: string, value: string): void {
    this.#lines.push(name, name.toLowerCase(), value);
  }

  /** The values of a name, joined as RFC 9110 section 5.3 says. */
  get(lowerName: string): string | undefined {
    const lines = this.#lines;
    let found: string | undefined;
    for (let i = 0; i < lines.length; i += 3) {
      if (lines[i + 1] !== lowerName) continue;
      found = found === undefined ? lines[i + 2] : `${found}, ${lines[i + 2]}`;
    }
    return found;
  }

  /** The values of a name as they were sent. */
  all(lowerName: string): string[] {
    return this.#lines.filter((_, i) => i % 3 === 2 && this.#lines[i - 1] === lowerName);
  }

  /** Gives a name one value, or none. */
  set(lowerName: string, value: string | undefined): void {
    const lines = this.#lines;
    this.#lines = lines.filter((_, i) => lines[i - (i % 3) + 1] !== lowerName);
    if (value !== undefined) this.add(lowerName, value);
  }

  forEach(take: (lowerName: string, value: string, name: string) => void): void {
    const lines = this.#lines;
    for (let i = 0; i < lines.length; i += 3) {
      take(lines[i + 1] as string, lines[i + 2] as string, lines[i] as string);
    }
  }

  toObject(): Fields {
    const fields = Object.create(null) as Fields;
    this.forEach((name, value) => {
      fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`;
    });
    return fields;
  }
}
