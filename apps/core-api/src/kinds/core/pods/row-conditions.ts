import type { TableRowCondition } from '@annex/kinds';
import { isObject, type KubeObject, tableOf } from '@annex/machinery';

/** Returns the condition of the table row of a completed pod. */
export function podRowConditions(pod: KubeObject): TableRowCondition[] {
  const phase = isObject(pod.status) ? pod.status.phase : undefined;
  const message = completions.get(String(phase));
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason: String(phase), message }];
}

const completions = tableOf({
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
});
