import type { Explanation, NodeExplanation } from '@annex/scheduler';

/** Formats an explanation for a terminal: the nodes that remain with their scores, the others with their reasons. */
export function explanationText({ pod, state, message, nodes, changes }: Explanation): string {
  const lines = [`Pod ${pod}: ${state}`];
  if (message !== '') lines.push(message);
  const feasible = nodes.filter(({ refusedBy }) => refusedBy === undefined);
  const refused = nodes.filter(({ refusedBy }) => refusedBy !== undefined);
  if (feasible.length > 0) lines.push('', ...feasible.map(scoresLine));
  if (refused.length > 0) lines.push('', ...table(refused.map(refusedColumns)));
  if (changes.length > 0) lines.push('', 'What would help:', ...changes.map((change) => `  ${change}`));
  return lines.join('\n');
}

function scoresLine({ node, total = 0, scores = {} }: NodeExplanation): string {
  const parts = Object.entries(scores)
    .toSorted(([, a], [, b]) => b - a)
    .map(([plugin, score]) => `${plugin} ${score}`);
  return `${node}  fits  ${total}${parts.length === 0 ? '' : ` = ${parts.join(' + ')}`}`;
}

const refusedColumns = ({
  node,
  refusedBy = '',
  reasons = [],
  alsoRefusedBy = [],
}: NodeExplanation): string[] => [
  node,
  refusedBy,
  [
    reasons.join(', '),
    ...alsoRefusedBy.map((also) => `then ${also.plugin}: ${also.reasons.join(', ')}`),
  ].join('; '),
];

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
