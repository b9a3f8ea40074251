import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for files that others must read; made when the first is wanted, and gone in the end. */
export class TestFolder implements Disposable {
  #path: string | undefined;
  #count = 0;

  /** A path for a file of that name. */
  reserve(name: string): string {
    this.#path ??= mkdtempSync(join(tmpdir(), 'annex-testing-'));
    return join(this.#path, `${this.#count++}-${name}`);
  }

  /** Writes a file that only its owner can read; returns its path. */
  write(name: string, text: string): string {
    const path = this.reserve(name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  [Symbol.dispose](): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
  }
}
