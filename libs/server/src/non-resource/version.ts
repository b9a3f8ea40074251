import { arch, platform } from 'node:process';
import manifest from '../../package.json' with { type: 'json' };

/** The version of Annex: all packages have the same. */
export const annexVersion: string = manifest.version;

/** The version of kube-apiserver whose behavior Annex implements. */
const kubernetes = { major: '1', minor: '36', patch: '3' };

/** The body of `/version`, in the shape of kube-apiserver's. */
export const versionInfo: Readonly<Record<string, string>> = {
  major: kubernetes.major,
  minor: kubernetes.minor,
  emulationMajor: kubernetes.major,
  emulationMinor: kubernetes.minor,
  minCompatibilityMajor: kubernetes.major,
  minCompatibilityMinor: String(Number(kubernetes.minor) - 1),
  gitVersion: `v${kubernetes.major}.${kubernetes.minor}.${kubernetes.patch}`,
  gitCommit: `annex-${annexVersion}`,
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${platform}/${arch === 'x64' ? 'amd64' : arch}`,
};
