import { readFileSync } from 'node:fs';

/** The names of a list of steps as docs/architecture.md has them: `request`, `write` or `forward`. */
export function documentedSteps(list: string): string[] {
  const document = readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
  const [, after = ''] = document.split(`<!-- steps: ${list} -->`);
  const [steps = ''] = after.trimStart().split('\n\n');
  return [...steps.matchAll(/^\d+\. (\w+)/gm)].map(([, name]) => name ?? '');
}
