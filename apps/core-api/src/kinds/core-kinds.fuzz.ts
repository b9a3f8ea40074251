import { memoryDeps } from '@annex/app-testkit';
import {
  completeErrors,
  type FieldError,
  fieldErrorsText,
  finish,
  isObject,
  type JsonValue,
  type KubeObject,
  nestsTooDeep,
  parseJson,
  postponeErrors,
  StatusError,
} from '@annex/machinery';
import { asJson, type RequestContext, type ResourceKind } from '@annex/kinds';
import { type FuzzTarget, orError, orErrorLater, utf8Text } from '@annex/testkit';
import { coreKinds } from './core-kinds.ts';
import { IpRange } from './core/services/ip-range.ts';
import { scheduleError } from './batch/cronjobs/schedule.ts';

let kinds: ReadonlyMap<string, ResourceKind> | undefined;

/** Built on first use, because the gate also loads this file for its names. */
function kindOf(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): ResourceKind | undefined {
  kinds ??= new Map(
    coreKinds(memoryDeps(), {
      serviceClusterIpRange: new IpRange('10.0.0.0/16'),
    } as never).map((one) => [`${one.group === '' ? '' : `${one.group}/`}${one.version} ${one.kind}`, one]),
  );
  return kinds.get(`${String(apiVersion)} ${String(kind)}`);
}

const metadata = {
  name: 'a',
  namespace: 'b',
  labels: { x: 'y' },
  annotations: { z: '' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }],
};
const selector = { matchLabels: { x: 'y' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['v'] }] };
const pod = {
  containers: [
    {
      name: 'c',
      image: 'i',
      resources: { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' }, requests: { cpu: '500m' } },
      ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
      env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      livenessProbe: { httpGet: { path: '/', port: 'http' } },
      volumeMounts: [{ name: 'v', mountPath: '/m' }],
    },
  ],
  volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }],
      },
    },
  },
  securityContext: { sysctls: [{ name: 'a.b', value: '1' }] },
};
const rule = {
  name: 'a.b.c',
  rules: [
    {
      apiGroups: ['*'],
      apiVersions: ['v1'],
      operations: ['CREATE'],
      resources: ['pods/*'],
      scope: 'Namespaced',
    },
  ],
  clientConfig: { service: { namespace: 'a', name: 'b', path: '/x', port: 443 }, caBundle: '' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  matchConditions: [{ name: 'm', expression: 'request.name == "a"' }],
  failurePolicy: 'Ignore',
  namespaceSelector: selector,
};
const objects = [
  { apiVersion: 'v1', kind: 'Pod', metadata, spec: pod },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      type: 'LoadBalancer',
      selector: { x: 'y' },
      ports: [{ port: 80, targetPort: 'http', nodePort: 30000 }],
      clusterIPs: ['10.0.0.1'],
      ipFamilies: ['IPv4'],
      externalIPs: ['1.2.3.4'],
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata,
    spec: {
      limits: [
        {
          type: 'Container',
          max: { cpu: '2' },
          min: { cpu: '1' },
          default: { cpu: '1' },
          maxLimitRequestRatio: { cpu: '2' },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata,
    spec: {
      hard: { pods: '1', 'count/a.b': '2' },
      scopes: ['BestEffort'],
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
    },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], hints: { forZones: [{ name: 'z' }] } }],
    ports: [{ name: 'p', port: 80, appProtocol: 'h/x' }],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata,
    spec: {
      schedule: '*/5 1-3 * jan mon,fri',
      timeZone: 'Etc/UTC',
      jobTemplate: {
        spec: {
          podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
          template: { spec: pod },
        },
      },
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
      template: { metadata: { labels: { x: 'y' } }, spec: pod },
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'a' },
    webhooks: [rule],
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'a' },
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [rule.rules[0]] },
      variables: [{ name: 'v', expression: 'object.spec' }],
      validations: [{ expression: 'variables.v != null', messageExpression: '"x"', reason: 'Invalid' }],
      auditAnnotations: [{ key: 'k', valueExpression: '"v"' }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata,
    spec: {
      ingressClassName: 'n',
      tls: [{ hosts: ['*.a.b'] }],
      rules: [
        {
          host: 'a.b',
          http: {
            paths: [
              { path: '/a', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } },
            ],
          },
        },
      ],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: selector,
      ingress: [
        {
          from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
          ports: [{ port: 1, endPort: 5 }],
        },
      ],
      policyTypes: ['Ingress'],
    },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  },
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a' },
    spec: { request: '', signerName: 'a.b/c', usages: ['client auth'], expirationSeconds: 600 },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      selector,
      dataSourceRef: { apiGroup: 'a.b', kind: 'K', name: 'n' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': 'e30=' },
  },
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'kinds',
    seeds: objects.map((object) => JSON.stringify(object)),
    dictionary: [
      'null',
      '[]',
      '{}',
      '""',
      '0',
      '-1',
      '1e30',
      '"__proto__"',
      '"constructor"',
      '"hasOwnProperty"',
      '"name"',
      '"spec"',
      '"metadata"',
      '"v1"',
      '"a/b"',
      '"1.2.3.4"',
      '"::1"',
      '"10%"',
      '"1Gi"',
    ],
    maxBytes: 3072,
    maxGrownBytes: 32_768,
    async run(input) {
      const object = orError((): JsonValue => parseJson(utf8Text(input)), [SyntaxError]);
      if (object instanceof Error || !isObject(object) || nestsTooDeep(object)) return;
      const kind = kindOf(object.apiVersion, object.kind);
      if (kind === undefined || !isObject(object.metadata)) return;
      await orErrorLater(() => validated(kind, object as unknown as KubeObject), [StatusError]);
    },
  },
  {
    name: 'cron-schedule',
    go: 'cron',
    // The order of the checks decides which of several errors is reported.
    deviates: (outcome, expected) => outcome.startsWith('error') && expected.startsWith('error'),
    seeds: [
      '*/5 * * * *',
      '0 1-5/2 ? jan-mar mon,fri',
      '@daily',
      '@every 1h30m',
      '60 * * * *',
      '1-2-3 * * * *',
    ],
    dictionary: ['*/', '-', ',', '/', ' ', '@every ', '@hourly', 'jan', 'sun', '?', '59'],
    maxBytes: 96,
    run(input) {
      const text = utf8Text(input);
      if (!/^[\t\x20-\x7e]*$/.test(text) || text.includes('TZ')) return;
      const error = scheduleError(text);
      return error === undefined ? 'valid' : `error: ${error}`;
    },
  },
];

async function sameErrors(check: () => Promise<FieldError[]>): Promise<FieldError[]> {
  const errors = await check();
  const inPasses = finish(completeErrors(await postponeErrors(check, 0)));
  const [text, expected] = [inPasses, errors].map(fieldErrorsText);
  if (text !== expected) throw new Error(`in passes: ${text}; at once: ${expected}`);
  return errors;
}

/**
 * Decodes, defaults and validates an object as the write path does, for a create and for an update without changes. Checks in passes of one item
 * have the same errors as those at once.
 */
async function validated(kind: ResourceKind, object: KubeObject): Promise<void> {
  const { schema, strategy } = kind;
  if (schema.decodeError?.(asJson(object)) !== undefined) return;
  schema.prune(asJson(object));
  schema.applyDefaults(asJson(object));
  const { signal } = new AbortController();
  const user = { name: 'a', groups: [], extra: {} };
  const context = { warnings: [], user, signal } as unknown as RequestContext;
  const errors = schema.validate(asJson(object));
  errors.push(...(await sameErrors(async () => (await strategy.validateCreate?.(object, context)) ?? [])));
  const old = structuredClone(object);
  await sameErrors(async () => (await strategy.validateUpdate?.(object, old, context)) ?? []);
  await strategy.warnings?.(object, undefined, context);
  // Only valid objects are stored.
  if (errors.length === 0) for (const column of kind.columns) column.cell(object, 0);
}
