import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder that is gone when the disposer is called, or at the end of a `using` block. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** Makes a temporary folder, among the others of this machine where nothing else is said. */
export function tempFolder(prefix = 'annex-', parent = tmpdir()): TempFolder {
  const path = mkdtempSync(join(parent, prefix));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
