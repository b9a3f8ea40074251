import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder that is gone when the disposer is called, or at the end of a `using` block. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** Makes a temporary folder. */
export function tempFolder(prefix = 'annex-'): TempFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
