/**
 * Header fields by lower-case name, the values of one name joined by a comma. Without a prototype: a name may
 * be `constructor`.
 */
export type Fields = Record<string, string | undefined>;

/**
 * The header lines of a response in order, RFC 9110 section 5. Names keep their case; look-ups use lower
 * case. A head has few lines and few look-ups, so a scan is cheaper than a map.
 */
export class FieldLines {
  /** Alternating name, lower-case name and value. */
  #lines: string[] = [];

  add(name: string, value: string): void {
    this.#lines.push(name, name.toLowerCase(), value);
  }

  /** Returns the values of a name, joined as in RFC 9110 section 5.3. */
  get(lowerName: string): string | undefined {
    const lines = this.#lines;
    let found: string | undefined;
    for (let i = 0; i < lines.length; i += 3) {
      if (lines[i + 1] !== lowerName) continue;
      found = found === undefined ? lines[i + 2] : `${found}, ${lines[i + 2]}`;
    }
    return found;
  }

  /** Returns the values of a name as sent. */
  all(lowerName: string): string[] {
    return this.#lines.filter((_, i) => i % 3 === 2 && this.#lines[i - 1] === lowerName);
  }

  /** Sets the value of a name, or removes it. */
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
