import { tableOf } from './table.ts';
const kubeVersion = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/;
const stages = tableOf({ alpha: 1, beta: 2, ga: 3 });

/**
 * Returns stage, major and minor number; `undefined` for names that do not follow the version scheme of
 * Kubernetes.
 */
function parse(version: string): readonly [stage: number, major: number, minor: number] | undefined {
  const [, major, stage = 'ga', minor = '0'] = kubeVersion.exec(version) ?? [];
  return major === undefined ? undefined : [stages.get(stage) ?? 0, Number(major), Number(minor)];
}

/**
 * Orders API versions as discovery does, best first: GA before beta before alpha, higher numbers first. Other
 * names follow in alphabetical order.
 */
export function compareApiVersions(a: string, b: string): number {
  const x = parse(a);
  const y = parse(b);
  if (x === undefined || y === undefined) {
    if (x !== undefined) return -1;
    if (y !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return y[0] - x[0] || y[1] - x[1] || y[2] - x[2];
}
