import type { LimitConfig } from '../limit-options.ts';

const divided = [
  'maxRequestsInflight',
  'maxMutatingRequestsInflight',
  'maxConnections',
  'maxConnectionsPerAddress',
] as const satisfies readonly (keyof LimitConfig)[];

/** Returns a configuration with the share of one thread in the limits of the process. The shares add up to the limits; 0 is no limit. */
export function withDividedLimits<C extends LimitConfig>(
  config: C,
  { index, size }: { index: number; size: number },
): C {
  const shares = divided.map((name) => [name, shareOf(config[name], index, size)] as const);
  return { ...config, ...Object.fromEntries(shares) };
}

const shareOf = (limit: number, index: number, size: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor((limit + index) / size));
