import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool, pathFolders } from '../tools.ts';

/** An installed kubectl. */
export interface Kubectl {
  path: string;
  /** `1.33` */
  version: string;
}

const run = promisify(execFile);
const alsoIn = ['/usr/lib/google-cloud-sdk/bin'];

/**
 * Returns every kubectl in `PATH` and in the Google Cloud SDK: one for each minor version, the oldest first.
 */
export async function findKubectls(): Promise<Kubectl[]> {
  const candidates = [...pathFolders(), ...alsoIn].flatMap((folder) =>
    kubectlNames(folder).map((name) => join(folder, name)),
  );
  const found = await Promise.all([...new Set(candidates)].map(versionOf));
  const byVersion = new Map<string, Kubectl>();
  for (const kubectl of found) {
    if (kubectl !== undefined && !byVersion.has(kubectl.version)) byVersion.set(kubectl.version, kubectl);
  }
  return [...byVersion.values()].sort((a, b) => minor(a) - minor(b));
}

const minor = ({ version }: Kubectl): number => Number(version.split('.')[1]);

function kubectlNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter(
      (name) => /^kubectl([.-]?v?1\.\d+)?$/.test(name) && findTool(name, [folder]) !== undefined,
    );
  } catch {
    return [];
  }
}

async function versionOf(path: string): Promise<Kubectl | undefined> {
  try {
    const { stdout } = await run(path, ['version', '--client', '-o', 'json'], {
      env: { PATH: process.env.PATH },
    });
    const { major, minor, gitVersion } = (
      JSON.parse(stdout) as { clientVersion: Record<'major' | 'minor' | 'gitVersion', string> }
    ).clientVersion;
    // A dispatcher runs the version that it detects for the server.
    if (gitVersion.includes('dispatcher')) return undefined;
    return { path, version: `${major}.${minor.replace(/\+$/, '')}` };
  } catch {
    return undefined;
  }
}
