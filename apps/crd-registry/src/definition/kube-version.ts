const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = { alpha: 0, beta: 1, ga: 2 };

function parse(version: string): [stage: number, major: bigint, minor: bigint] | undefined {
  const match = pattern.exec(version);
  if (match === null) return undefined;
  const [, major = '0', stage = 'ga', minor = '0'] = match;
  return [stages[stage as keyof typeof stages], BigInt(major), BigInt(minor)];
}

/**
 * Compares versions by priority, the highest first: GA before beta before alpha, higher numbers first, then every other
 * name by the alphabet.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  for (const i of [0, 1, 2] as const) {
    if (left[i] !== right[i]) return left[i] > right[i] ? -1 : 1;
  }
  return 0;
}
