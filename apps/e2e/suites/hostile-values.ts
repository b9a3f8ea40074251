import { definition } from './hostile-definitions.ts';
import { membersOf } from './hostile-names.ts';

/** A field with a closed set of values: the field, the path and the body of a POST, and the error. */
type ClosedField = [field: string, path: string, body: object, message: string];

const metadata = { name: 'refused' };

/** Writes a name as the value of fields that have a closed set of values. */
export const valuesOf = (name: string): ClosedField[] => [...coreValues(name), ...valuesOfGroups(name)];

function coreValues(name: string): ClosedField[] {
  const core = '/api/v1/namespaces/default';
  const hard = { pods: '1' };
  return [
    [
      'scopes of a ResourceQuota',
      `${core}/resourcequotas`,
      { metadata, spec: { hard, scopes: [name] } },
      'unsupported scope',
    ],
    [
      'scopeName of a ResourceQuota',
      `${core}/resourcequotas`,
      {
        metadata,
        spec: { hard, scopeSelector: { matchExpressions: [{ scopeName: name, operator: 'Exists' }] } },
      },
      'unsupported scope',
    ],
    [
      'resources of a ResourceQuota',
      `${core}/resourcequotas`,
      { metadata, spec: { hard: membersOf([name], '1') } },
      `spec.hard[${name}]: Invalid value`,
    ],
    [
      'type of a LimitRange',
      `${core}/limitranges`,
      { metadata, spec: { limits: [{ type: name, max: { cpu: '1' } }] } },
      'spec.limits[0].type: Invalid value',
    ],
    [
      'resources of a LimitRange',
      `${core}/limitranges`,
      { metadata, spec: { limits: [{ type: 'Container', max: membersOf([name], '1') }] } },
      `spec.limits[0].max[${name}]: Invalid value`,
    ],
    [
      'type of a Service',
      `${core}/services`,
      { metadata, spec: { type: name, ports: [{ port: 1 }] } },
      'spec.type: Unsupported value',
    ],
  ];
}

function valuesOfGroups(name: string): ClosedField[] {
  const endpoints = [{ addresses: ['10.0.0.1'] }];
  return [
    [
      'addressType of an EndpointSlice',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      { metadata, addressType: name, endpoints },
      'addressType: Unsupported value',
    ],
    [
      'kind of a role reference',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      { metadata, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: name, name: 'x' } },
      'roleRef.kind: Unsupported value',
    ],
    [
      'type of a metric',
      '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
      {
        metadata,
        spec: { maxReplicas: 2, scaleTargetRef: { kind: 'A', name: 'a' }, metrics: [{ type: name }] },
      },
      'spec.metrics[0].type: Unsupported value',
    ],
    [
      'schedule of a CronJob',
      '/apis/batch/v1/namespaces/default/cronjobs',
      {
        metadata,
        spec: {
          schedule: `@${name}`,
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          },
        },
      },
      `unrecognized descriptor: @${name}`,
    ],
    [
      'type of a schema',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      definition('refused', 'Refused', { properties: { a: { type: name } } }),
      'Unsupported value',
    ],
  ];
}
