import { type KubeObject, tableOf } from '@annex/machinery';
import { at, type Cells, listAt, numberCell, someOf, textCell } from '../../shared/cells.ts';

const percent = (value: unknown, fallback: string) => (value === undefined ? fallback : `${String(value)}%`);

/** The paths of the values of a metric, by its type. */
const metricFields = tableOf({
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
});

function metric(spec: unknown, status: unknown): string {
  const type = String(at(spec, 'type'));
  const field = metricFields.get(type);
  if (field === undefined) return '<unknown type>';
  const target = at(spec, `${field}.target`);
  const current = at(status, `${field}.current`);
  const average = at(target, 'averageValue');
  const known = (path: string) => String(at(current, path) ?? '<unknown>');
  if (type === 'Resource' || type === 'ContainerResource') {
    const name = String(at(spec, `${field}.name`));
    if (average !== undefined) return `${name}: ${known('averageValue')}/${String(average)}`;
    const now = percent(at(current, 'averageUtilization'), '<unknown>');
    return `${name}: ${now}/${percent(at(target, 'averageUtilization'), '<auto>')}`;
  }
  if (type === 'Pods') return `${known('averageValue')}/${String(average)}`;
  if (average !== undefined) return `${known('averageValue')}/${String(average)} (avg)`;
  return `${known('value')}/${String(at(target, 'value'))}`;
}

/** Returns the targets of an autoscaler; `autoscaling/v1` has a single number. */
function targets(object: KubeObject): string {
  const cpu = at(object, 'spec.targetCPUUtilizationPercentage');
  if (cpu !== undefined) {
    return `cpu: ${percent(at(object, 'status.currentCPUUtilizationPercentage'), '<unknown>')}/${percent(cpu, '')}`;
  }
  const statuses = listAt(object, 'status.currentMetrics');
  return someOf(
    listAt(object, 'spec.metrics').map((spec, i) => metric(spec, statuses[i])),
    2,
    '<none>',
    ', ',
  );
}

export const autoscalerColumns: Cells = {
  Reference: (autoscaler) =>
    `${String(at(autoscaler, 'spec.scaleTargetRef.kind'))}/${String(at(autoscaler, 'spec.scaleTargetRef.name'))}`,
  Targets: targets,
  MinPods: textCell('spec.minReplicas', '<unset>'),
  MaxPods: numberCell('spec.maxReplicas'),
  Replicas: numberCell('status.currentReplicas'),
};
