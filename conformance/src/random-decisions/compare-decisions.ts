import type { DryRun } from '@annex/scheduler';
import type { ReferenceDecision } from './reference-decisions.ts';

/** Attempts to find the nomination of the reference among equal ones. */
const attempts = 16;

/** Errors of a plugin end a decision: where it fails on several nodes, the first of them is reported, and nodes are examined in parallel. */
const isError = (message: string): boolean => message.startsWith('running "');

/** Compares a decision of the reference with ours. Where several nodes or victims are equal, the reference chooses one at random. */
export async function decisionDifferences(
  reference: ReferenceDecision,
  decide: () => Promise<DryRun>,
  victimsOfReference: (count: number) => Promise<readonly string[]>,
): Promise<string[]> {
  let ours = await decide();
  if (reference.node !== '')
    return ours.nodes.includes(reference.node)
      ? []
      : [`the node is ${reference.node}; ours: ${ours.nodes.join(' or ') || ours.message}`];
  for (let i = 0; i < attempts && ours.nominatedNode !== reference.nominatedNode; i++) ours = await decide();
  if (ours.nodes.length > 0) return [`refused: ${reference.message}; ours: ${ours.nodes.join(' or ')}`];
  const differences: string[] = [];
  if (ours.message !== reference.message && !(isError(ours.message) && isError(reference.message)))
    differences.push(`the message is\n      ${reference.message}\n      ours: ${ours.message}`);
  if (ours.nominatedNode !== reference.nominatedNode)
    differences.push(`the nominated node is ${reference.nominatedNode}; ours: ${ours.nominatedNode}`);
  if (reference.nominatedNode === '' || differences.length > 0) return differences;
  const victims = await victimsOfReference(ours.victims.length);
  const expected = ours.victims.toSorted();
  return victims.join() === expected.join()
    ? []
    : [`the victims on ${reference.nominatedNode} are ${victims.join()}; ours: ${expected.join()}`];
}
