import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for files that other programs read; created on first use, and removed at the end. */
export class TestFolder implements Disposable {
  #path: string | undefined;
  #count = 0;

  /** Returns a path for a file of that name. */
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
