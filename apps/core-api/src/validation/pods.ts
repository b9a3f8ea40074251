import {
  type FieldError,
  type FieldPath,
  fieldErrors,
  isObject,
  type JsonObject,
  Quantity,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validatePortName,
  validatePortNumber,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  nonNegative,
  objectsOf,
  oneOf,
  required,
  text,
  unique,
} from './checks.ts';

const { invalid } = fieldErrors;

const portNumber: Check = (value, at) =>
  typeof value === 'number' && value !== 0
    ? validatePortNumber(value).map((why) => invalid(at, value, why))
    : [];

const portNumberOrName: Check = (value, at) => {
  const complaints =
    typeof value === 'string' ? validatePortName(value) : validatePortNumber(Number(value ?? 0));
  return complaints.map((why) => invalid(at, value, why));
};

const containerPort = fields({
  name: text(validatePortName),
  containerPort: (value, at) => (value ? portNumber(value, at) : [fieldErrors.required(at)]),
  hostPort: portNumber,
  protocol: required(oneOf('SCTP', 'TCP', 'UDP')),
});

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

const envVar = fields({ name: required(text(validateEnvVarName)) }, (value, at) => {
  const source = isObject(value) ? value.valueFrom : undefined;
  if (!isObject(source)) return [];
  const named = sources.filter((name) => source[name] !== undefined);
  const where = at.child('valueFrom');
  if (named.length === 0)
    return [
      invalid(
        where,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `fileKeyRef` or `secretKeyRef`',
      ),
    ];
  if (named.length > 1) return [invalid(where, '', 'may not have more than one field specified at a time')];
  return !isMissing((value as JsonObject).value)
    ? [invalid(where, '', 'may not be specified when `value` is not empty')]
    : [];
});

const probeNumbers = fields({
  initialDelaySeconds: nonNegative,
  timeoutSeconds: nonNegative,
  periodSeconds: nonNegative,
  successThreshold: nonNegative,
  failureThreshold: nonNegative,
});

const handlers = fields({
  exec: fields({ command: required() }),
  httpGet: fields({ path: required(), port: portNumberOrName, scheme: oneOf('HTTP', 'HTTPS') }),
  tcpSocket: fields({ port: portNumberOrName }),
  grpc: fields({ port: portNumberOrName }),
});

const handlerNames = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

const probe: Check = (value, at) => {
  if (!isObject(value)) return [];
  const given = handlerNames.filter((name) => value[name] !== undefined);
  const errors = handlers(value, at);
  const counted =
    given.length === 0
      ? [fieldErrors.required(at, 'must specify a handler type')]
      : given
          .slice(1)
          .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 handler type'));
  return [...counted, ...errors, ...probeNumbers(value, at)];
};

/** Requests and limits: not negative, and no request above its limit. */
const resources: Check = (value, at) => {
  const [limits, requests] = [childOf(value, 'limits'), childOf(value, 'requests')];
  const amounts = (of: JsonObject, path: FieldPath) =>
    Object.entries(of).flatMap(([name, amount]) =>
      Quantity.parse(String(amount)).compare(Quantity.parse('0')) < 0
        ? [invalid(path.key(name), amount, 'must be greater than or equal to 0')]
        : [],
    );
  const above = Object.entries(requests).flatMap(([name, amount]) => {
    const limit = limits[name];
    if (limit === undefined || Quantity.parse(String(amount)).compare(Quantity.parse(String(limit))) <= 0)
      return [];
    return [
      invalid(
        at.child('requests'),
        amount,
        `must be less than or equal to ${name} limit of ${String(limit)}`,
      ),
    ];
  });
  return [...amounts(limits, at.child('limits')), ...amounts(requests, at.child('requests')), ...above];
};

const mount = fields({ name: required(), mountPath: required() });

/** The mounts of a container: their volumes are there, and no two are in one place. */
const mounts =
  (volumes: ReadonlySet<unknown>): Check =>
  (value, at) => {
    const places = new Set<unknown>();
    return objectsOf(value).flatMap((item, index) => {
      const where = at.index(index);
      const errors: FieldError[] = [];
      if (!volumes.has(item.name)) errors.push(fieldErrors.notFound(where.child('name'), item.name ?? ''));
      errors.push(...mount(item, where));
      if (places.has(item.mountPath))
        errors.push(invalid(where.child('mountPath'), item.mountPath, 'must be unique'));
      places.add(item.mountPath);
      return errors;
    });
  };

const container = (volumes: ReadonlySet<unknown>): Check =>
  fields({
    name: required(text(validateDns1123Label)),
    image: required(),
    terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
    ports: each(containerPort),
    env: each(envVar),
    volumeMounts: mounts(volumes),
    imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    resources,
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
  });

/** Volumes: named, each once, and of one source. */
const volumes: Check = all(
  each((value, at) => {
    if (!isObject(value)) return [];
    const given = Object.keys(value).filter((name) => name !== 'name');
    const more = given
      .slice(1)
      .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 volume type'));
    return [...required(text(validateDns1123Label))(value.name, at.child('name')), ...more];
  }),
  unique('name'),
);

/** Names that no two containers of a pod may share, whichever list they are in. */
function sharedNames(spec: JsonObject, at: FieldPath): FieldError[] {
  const seen = new Set(objectsOf(spec.containers).map((item) => item.name));
  return ['initContainers', 'ephemeralContainers'].flatMap((list) =>
    objectsOf(spec[list]).flatMap((item, index) => {
      const taken = seen.has(item.name);
      seen.add(item.name);
      return taken ? [fieldErrors.duplicate(at.child(list).index(index).child('name'), item.name)] : [];
    }),
  );
}

/** The spec of a pod, in templates too. */
export const podSpec: Check = (value, at) => {
  const spec = isObject(value) ? value : {};
  const known = new Set<unknown>(objectsOf(spec.volumes).map((volume) => volume.name));
  const check = container(known);
  return [
    ...volumes(spec.volumes, at.child('volumes')),
    ...required(all(each(check), unique('name')))(spec.containers, at.child('containers')),
    ...each(check)(spec.initContainers, at.child('initContainers')),
    ...each(check)(spec.ephemeralContainers, at.child('ephemeralContainers')),
    ...sharedNames(spec, at),
    ...rest(spec, at),
  ];
};

const rest = fields({
  restartPolicy: required(oneOf('Always', 'OnFailure', 'Never')),
  dnsPolicy: required(oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')),
  serviceAccountName: text(validateDns1123Subdomain),
  nodeName: text(validateDns1123Subdomain),
  hostname: text(validateDns1123Label),
  subdomain: text(validateDns1123Label),
  priorityClassName: text(validateDns1123Subdomain),
  runtimeClassName: text(validateDns1123Subdomain),
  activeDeadlineSeconds: (value, at) =>
    value !== undefined && Number(value) < 1
      ? [invalid(at, value, 'must be between 1 and 2147483647, inclusive')]
      : [],
});
