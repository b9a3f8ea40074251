import type { GrowthResult } from './run.ts';

/** Returns the lines of one size: CPU time and time of each step, or memory. */
export function growthLines({ row, server, size, load, points }: GrowthResult): string[] {
  const title = `${row}: ${size.toLocaleString('en')} on ${server}, load ${load.toFixed(0)}`;
  const lines = Object.entries(points).map(([name, cost]) => {
    const text =
      'mib' in cost
        ? `${cost.mib.toFixed(0)} MiB`
        : `${cost.cpuMs.toFixed(0)} ms CPU, ${cost.ms.toFixed(0)} ms`;
    return `  ${name.padEnd(38)} ${text}`;
  });
  return [title, ...lines];
}
