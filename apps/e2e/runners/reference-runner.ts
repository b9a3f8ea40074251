import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freeRow, startProcess, tempFolder } from '@annex/testkit';
import { runProcess } from './process-runner.ts';
import type { Runner } from './runner.ts';

const reference = fileURLToPath(new URL('../../../conformance/reference/', import.meta.url));
const binaries = fileURLToPath(new URL('../../../.cache/reference/bin', import.meta.url));

/** True if the reference server is built; otherwise prints the name of the skipped suite. */
export function requireReference(suite: string): boolean {
  if (existsSync(join(binaries, 'kube-apiserver')) && existsSync(join(binaries, 'etcd'))) return true;
  process.stderr.write(`SKIPPED ${suite}: no kube-apiserver; conformance/reference/start.sh builds it\n`);
  return false;
}

/** Starts a real kube-apiserver with etcd instead of Annex, and with these flags. */
export async function startReference(...flags: readonly string[]): Promise<Runner> {
  const folder = tempFolder('annex-reference-');
  const [data, port] = [join(folder.path, 'etcd'), await freeRow(3)];
  mkdirSync(data, { mode: 0o700 });
  symlinkSync(binaries, join(folder.path, 'bin'));
  return await runProcess({
    name: 'reference',
    port,
    folder,
    start: () =>
      startProcess('bash', {
        args: [join(reference, 'start.sh'), String(port), folder.path, data, ...flags],
        until: /the reference server is ready/,
      }),
    // The script ends its child processes only if it is not killed.
    killSignal: 'SIGTERM',
  });
}
