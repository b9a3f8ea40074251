import { type DecisionTrace, traceAdmission } from '@annex/kinds';

/** Records the outcome of a matching policy in the decision trace. */
export function tracePolicy(
  trace: DecisionTrace,
  plugin: string,
  name: string,
  began: number,
  refusals: readonly { binding?: string }[],
): void {
  const bindings = [...new Set(refusals.flatMap(({ binding }) => binding ?? []))];
  const by = bindings.length > 0 ? ` by the binding ${bindings.join(', ')}` : '';
  const outcome = refusals.length > 0 ? `refused${by}` : 'passed';
  traceAdmission(trace, { plugin, name, ms: performance.now() - began, outcome });
}
