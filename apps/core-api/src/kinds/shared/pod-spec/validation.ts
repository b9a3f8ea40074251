import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validatePortName,
  validatePortNumber,
  repetitions,
} from '@annex/machinery';
import {
  all,
  type Check,
  each,
  fields,
  isMissing,
  nonNegative,
  objectsOf,
  oneOf,
  required,
  text,
  unique,
} from '../checks.ts';
import { ephemeralContainer } from './ephemeral-containers.ts';
import { envFrom, valueFrom } from './references.ts';
import { resizePolicy, sleepingHooks } from './container-settings.ts';
import { podResources } from './pod-resources.ts';
import { resourceClaims } from './resource-claims.ts';
import { containerResources, quantities } from './resources.ts';
import { podScheduling } from './scheduling.ts';
import { containerSecurity, podDns, podSecurity } from './settings.ts';
import { mountDetails, podVolumes } from './volumes.ts';

const { invalid } = fieldErrors;

const portNumber: Check = (value, at) =>
  typeof value === 'number' && value !== 0
    ? validatePortNumber(value).map((why) => invalid(at, value, why))
    : [];

const portNumberOrName: Check = (value, at) => {
  const errors = typeof value === 'string' ? validatePortName(value) : validatePortNumber(Number(value ?? 0));
  return errors.map((why) => invalid(at, value ?? 0, why));
};

const containerPort = fields({
  name: text(validatePortName),
  containerPort: (value, at) => (value ? portNumber(value, at) : [fieldErrors.required(at)]),
  hostPort: portNumber,
  protocol: required(oneOf('SCTP', 'TCP', 'UDP')),
});

const envVar = fields({ name: required(text(validateEnvVarName)) }, (value, at) =>
  isObject(value) ? valueFrom(value, at) : [],
);

const probeNumbers = fields({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
});

const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

const handlers = fields({
  exec: fields({ command: required() }),
  httpGet: fields({
    path: required(),
    port: portNumberOrName,
    scheme: oneOf('HTTP', 'HTTPS'),
    httpHeaders: (value, at) =>
      errorsOfEach(objectsOf(value), ({ name }) =>
        /^[-A-Za-z0-9]+$/.test(String(name ?? '')) ? [] : [invalid(at, name ?? '', headerText)],
      ),
  }),
  tcpSocket: fields({ port: portNumberOrName }),
  grpc: fields({ port: portNumberOrName }),
});

const handlerNames = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** Checks that a probe or hook has exactly one handler. */
const handled: Check = (value, at) => {
  if (!isObject(value)) return [];
  const provided = handlerNames.filter((name) => getOwn(value, name) !== undefined);
  const errors = handlers(value, at);
  const counted =
    provided.length === 0
      ? [fieldErrors.required(at, 'must specify a handler type')]
      : provided
          .slice(1)
          .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 handler type'));
  return [...counted, ...errors];
};

const probe: Check = (value, at) => [...handled(value, at), ...probeNumbers(value, at)];

/** Checks probes that restart a container: they succeed at the first success, and may have a grace period. */
const restartingProbe: Check = (value, at) => {
  const { successThreshold = 1, terminationGracePeriodSeconds: grace } = isObject(value) ? value : {};
  const where = at.child('terminationGracePeriodSeconds');
  return [
    ...probe(value, at),
    ...(successThreshold === 1 || successThreshold === 0
      ? []
      : [invalid(at.child('successThreshold'), successThreshold, 'must be 1')]),
    ...(grace !== undefined && Number(grace) <= 0 ? [invalid(where, grace, 'must be greater than 0')] : []),
  ];
};

const readinessProbe: Check = (value, at) => {
  const grace = isObject(value) ? value.terminationGracePeriodSeconds : undefined;
  const where = at.child('terminationGracePeriodSeconds');
  return [
    ...probe(value, at),
    ...(grace === undefined ? [] : [invalid(where, grace, 'must not be set for readinessProbes')]),
  ];
};

const lifecycle = fields({ postStart: handled, preStop: handled });

const mountName = required();
const mountPath = required();

/** Checks the mounts of a container: their volumes exist, and their paths differ. */
const mounts =
  (volumes: ReadonlySet<unknown>): Check =>
  (value, at) => {
    const isRepeated = repetitions();
    return errorsOfEach(objectsOf(value), (item, index) => {
      const where = at.index(index);
      const errors = mountName(item.name, where.child('name'));
      if (!volumes.has(item.name)) errors.push(fieldErrors.notFound(where.child('name'), item.name ?? ''));
      errors.push(...mountPath(item.mountPath, where.child('mountPath')), ...mountDetails(at)(item, where));
      if (isRepeated(item.mountPath))
        errors.push(invalid(where.child('mountPath'), item.mountPath, 'must be unique'));
      return errors;
    });
  };

/** Checks what all containers have. */
const anyContainer = (volumes: ReadonlySet<unknown>): Check =>
  fields({
    name: required(text(validateDns1123Label)),
    image: required((value, at) =>
      String(value).trim() === value
        ? []
        : [invalid(at, value, 'must not have leading or trailing whitespace')],
    ),
    terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
    ports: all(each(containerPort), unique('name')),
    env: each(envVar),
    envFrom,
    volumeMounts: mounts(volumes),
    imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    resources: containerResources,
    resizePolicy,
    securityContext: containerSecurity,
    restartPolicy: oneOf('Always', 'Never', 'OnFailure'),
  });

const probes = fields({
  livenessProbe: restartingProbe,
  readinessProbe,
  startupProbe: restartingProbe,
  lifecycle,
});

/** Checks the probes and hooks of init containers: only those with `restartPolicy: Always` have some. */
const initContainer: Check = (value, at) => {
  const provided = isObject(value) ? value : {};
  if (provided.restartPolicy === 'Always') return probes(value, at);
  const text = 'may not be set for init containers without restartPolicy=Always';
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => getOwn(provided, name) !== undefined)
    .map((name) => fieldErrors.forbidden(at.child(name), text));
};

/** Checks host ports: two containers must not have the same, and in the host network they must equal the container port. */
function hostPorts(spec: JsonObject, at: FieldPath): FieldError[] {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(spec.containers), (item, index) =>
    errorsOfEach(objectsOf(item.ports), ({ hostPort, containerPort: own, hostIP = '', protocol }, i) => {
      if (isMissing(hostPort) || hostPort === 0) return [];
      const where = at.child('containers').index(index).child('ports').index(i).child('hostPort');
      const key = `${String(protocol)}/${String(hostIP)}/${String(hostPort)}`;
      const isFirst = !isRepeated(key);
      const text = 'must match `containerPort` when `hostNetwork` is true';
      return [
        ...(isFirst ? [] : [fieldErrors.duplicate(where, key)]),
        ...(spec.hostNetwork === true && hostPort !== own ? [invalid(where, hostPort, text)] : []),
      ];
    }),
  );
}

/** Checks that names are unique among all containers of a pod, in whichever list they are. */
function sharedNames(spec: JsonObject, at: FieldPath): FieldError[] {
  const others = ['initContainers', 'ephemeralContainers'].map((list) => ({
    list,
    items: objectsOf(getOwn(spec, list)),
  }));
  if (others.every(({ items }) => items.length === 0)) return [];
  const seen = new Set(objectsOf(spec.containers).map((item) => item.name));
  return others.flatMap(({ list, items }) =>
    errorsOfEach(items, (item, index) => {
      const taken = seen.has(item.name);
      seen.add(item.name);
      return taken ? [fieldErrors.duplicate(at.child(list).index(index).child('name'), item.name)] : [];
    }),
  );
}

/** Checks the spec of a pod, also in templates. */
export const validatePodSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const known = new Set<unknown>();
  const check = anyContainer(known);
  return [
    ...podVolumes(known)(spec.volumes, at.child('volumes')),
    ...resourceClaims(spec.resourceClaims, at.child('resourceClaims')),
    ...required(all(each(all(check, probes)), unique('name')))(spec.containers, at.child('containers')),
    ...each(all(check, initContainer))(spec.initContainers, at.child('initContainers')),
    ...each(all(check, ephemeralContainer(spec)))(spec.ephemeralContainers, at.child('ephemeralContainers')),
    ...sleepingHooks(spec, at),
    ...sharedNames(spec, at),
    ...hostPorts(spec, at),
    ...podSecurity(spec, at),
    ...podDns(spec, at),
    ...podScheduling(spec, at),
    ...rest(spec, at),
    ...podResources(spec, at.child('resources')),
  ];
};

const rest = fields({
  restartPolicy: required(oneOf('Always', 'OnFailure', 'Never')),
  overhead: (value, at) => quantities({ limits: value }, at),
  hostnameOverride: text(validateDns1123Subdomain),
  serviceAccountName: text(validateDns1123Subdomain),
  nodeName: text(validateDns1123Subdomain),
  hostname: text(validateDns1123Label),
  subdomain: text(validateDns1123Label),
  priorityClassName: text(validateDns1123Subdomain),
  runtimeClassName: text(validateDns1123Subdomain),
  activeDeadlineSeconds: (value, at) =>
    value !== undefined && (Number(value) < 1 || Number(value) > 2147483647)
      ? [invalid(at, value, 'must be between 1 and 2147483647, inclusive')]
      : [],
});
