import type { Attempt, Refusal } from '@annex/scheduler';
import { type TreeNode, treeText } from '../tree.ts';

/** Formats a past attempt as a tree. */
export const attemptTree = (attempt: Attempt): string => treeText(attemptNode(attempt));

function attemptNode(attempt: Attempt): TreeNode {
  const { at, durationMs, feasibleNodes, message, number, queuedBy, refusals, schedulerName } = attempt;
  return {
    text: `attempt ${number} of ${schedulerName}: ${resultOf(attempt)} after ${durationMs.toFixed(1)} ms`,
    children: [
      { text: `began ${at}, queued by ${queuedBy}` },
      ...refusals.map(refusalNode),
      ...(feasibleNodes === undefined ? [] : [scoresNode(feasibleNodes, attempt)]),
      ...(message === '' ? [] : [{ text: message }]),
    ],
  };
}

function resultOf({ node, result }: Attempt): string {
  if (result === 'bound') return `bound to ${node}`;
  return node === undefined ? result : `${result}, preemption makes room on ${node}`;
}

function refusalNode({ examples, nodes, plugin, reason }: Refusal): TreeNode {
  const more = nodes > examples.length ? ` and ${nodes - examples.length} more` : '';
  return { text: `${plugin}: ${reason} on ${examples.join(', ')}${more}` };
}

function scoresNode(feasibleNodes: number, { scores }: Attempt): TreeNode {
  const count = `${feasibleNodes} ${feasibleNodes === 1 ? 'node fits' : 'nodes fit'}`;
  if (scores === undefined) return { text: count };
  const parts = Object.entries(scores).toSorted(([, a], [, b]) => b - a);
  const total = parts.reduce((sum, [, score]) => sum + score, 0);
  return {
    text: `${count}; this one has ${total} points`,
    children: parts.map(([plugin, score]) => ({ text: `${plugin} ${score}` })),
  };
}
