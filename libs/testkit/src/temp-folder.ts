import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder that is removed by the disposer, or at the end of a `using` block. */
export interface TempFolder extends Disposable {
  readonly path: string;
}

/** Creates a temporary folder, by default in the temporary folder of the system. */
export function tempFolder(prefix = 'annex-', parent = tmpdir()): TempFolder {
  const path = mkdtempSync(join(parent, prefix));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
