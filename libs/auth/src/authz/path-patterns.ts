import { trimRight } from '@annex/machinery';

/** The `nonResourceURLs` of a rule: paths, and those with a trailing `*` that match what they are a prefix of. */
export class PathPatterns {
  readonly #exact: ReadonlySet<string>;
  /** Sorted, and none is a prefix of another: the last one that is not above a path is the only one that can match it. */
  readonly #prefixes: readonly string[];

  constructor(urls: readonly string[] | null | undefined) {
    this.#exact = new Set(urls ?? []);
    const prefixes: string[] = [];
    for (const prefix of [...this.#exact]
      .filter((url) => url.endsWith('*'))
      .map(withoutStars)
      .sort()) {
      const last = prefixes.at(-1);
      if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
    }
    this.#prefixes = prefixes;
  }

  match(path: string): boolean {
    if (this.#exact.has(path)) return true;
    let from = 0;
    let to = this.#prefixes.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#prefixes[middle] as string) <= path) from = middle + 1;
      else to = middle;
    }
    const candidate = this.#prefixes[from - 1];
    return candidate !== undefined && path.startsWith(candidate);
  }
}

const withoutStars = (url: string): string => trimRight(url, '*');
