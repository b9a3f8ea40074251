import type { Result } from './finding.ts';

/** Formats the results as a readable list. */
export function textReport(name: string, results: readonly Result[]): string {
  const width = Math.max(...results.map(({ step }) => step.length));
  const lines = results.flatMap(({ step, outcome, text, fix }) => [
    `  ${outcome.padEnd(8)} ${step.padEnd(width)}  ${text}`,
    ...(fix === undefined ? [] : [`  ${''.padEnd(8)} ${''.padEnd(width)}  -> ${fix}`]),
  ]);
  return [`APIService ${name}`, '', ...lines, '', verdict(results), ''].join('\n');
}

function verdict(results: readonly Result[]): string {
  const named = (outcome: Result['outcome']) =>
    results.filter((result) => result.outcome === outcome).map(({ step }) => step);
  const broken = named('failed');
  if (broken.length > 0) return `${broken.length} of ${results.length} steps failed: ${broken.join(', ')}`;
  const open = [...named('unseen'), ...named('warning')];
  return open.length === 0 ? 'all steps passed' : `no step failed; look at ${open.join(', ')}`;
}

/** Formats the results as a JSON document. */
export const jsonReport = (name: string, results: readonly Result[]): string =>
  `${JSON.stringify({ apiService: name, passed: passed(results), steps: results }, null, 2)}\n`;

/** True if no step failed. */
export const passed = (results: readonly Result[]): boolean =>
  results.every(({ outcome }) => outcome !== 'failed');
