import { readFileSync } from 'node:fs';

/** Returns the rows of the route table in docs/architecture.md: name and paths. */
export function documentedRoutes(): string[][] {
  const [, after = ''] = architecture().split('<!-- routes -->');
  const [table = ''] = after.trimStart().split('\n\n');
  const rows = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.slice(2).map(([, name = '', paths = '']) => [name, paths]);
}

/** Returns the steps of a list in docs/architecture.md: `request`, `write` or `forward`. */
export function documentedSteps(list: string): string[] {
  const [, after = ''] = architecture().split(`<!-- steps: ${list} -->`);
  const [steps = ''] = after.trimStart().split('\n\n');
  return [...steps.matchAll(/^\d+\. (\w+)/gm)].map(([, name]) => name ?? '');
}

const architecture = () => readFileSync(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
