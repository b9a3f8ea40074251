import {
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  Quantity,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';
import { cidrErrors } from '../../shared/cidrs.ts';
import {
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';

const { invalid } = fieldErrors;

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const taint = fields({
  key: (value, at) => validateQualifiedName(String(value ?? '')).map((why) => invalid(at, value ?? '', why)),
  value: text(validateLabelValue),
  effect: required(oneOf(...effects)),
});

const taints: Check = (value, at) => {
  const seen = new Set<string>();
  return objectsOf(value).flatMap((item, index) => {
    const where = at.index(index);
    const errors = taint(item, where);
    const key = `${String(item.key)} ${String(item.effect)}`;
    const isFirst = !seen.has(key);
    seen.add(key);
    if (isFirst) return errors;
    const shown = {
      Key: item.key,
      Value: item.value ?? '',
      Effect: item.effect,
      TimeAdded: item.timeAdded ?? null,
    };
    const { badValue: _bad, ...duplicate } = fieldErrors.duplicate(where, shown);
    return [
      ...errors,
      { ...duplicate, badValue: shown, detail: 'taints must be unique by key and effect pair' },
    ];
  });
};

const amounts: Check = (value, at) =>
  Object.entries(isObject(value) ? value : {}).flatMap(([name, amount]) =>
    Quantity.parse(String(amount)).sign < 0
      ? [invalid(at.child(name), amount, 'must be greater than or equal to 0')]
      : [],
  );

/** What a Node says of itself. Its taints are looked for below its metadata by kube. */
export const node: Check = (value, at) => {
  const spec = childOf(value, 'spec');
  const status = childOf(value, 'status');
  const cidrs = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : isMissing(spec.podCIDR) ? [] : [spec.podCIDR];
  const where = at.child('spec', 'podCIDRs');
  const wrong = cidrs.flatMap((cidr, index) => cidrErrors(cidr, where.index(index)));
  const families = cidrs.map((cidr) => String(cidr).includes(':'));
  const tooMany =
    new Set(families).size < families.length
      ? [invalid(where, cidrs, 'may specify no more than one CIDR for each IP family')]
      : [];
  return [
    ...taints(spec.taints, at.child('metadata', 'taints')),
    ...amounts(status.capacity, at.child('status', 'capacity')),
    ...amounts(
      isObject(status.allocatable) ? status.allocatable : status.capacity,
      at.child('status', 'allocatable'),
    ),
    ...wrong,
    ...(wrong.length === 0 ? tooMany : []),
  ];
};

const address = fields({
  ip: required((value, at) => endpointIpErrors(String(value), at)),
  hostname: text(validateDns1123Label),
  nodeName: text(validateDns1123Subdomain),
});

const portNumber: Check = (value, at) => {
  const port = Number(value ?? 0);
  return Number.isInteger(port) && port > 0 && port < 65536
    ? []
    : [invalid(at, port, 'must be between 1 and 65535, inclusive')];
};

const ports: Check = (value, at) => {
  const list = objectsOf(value);
  return list.flatMap((port, index) => {
    const where = at.index(index);
    const name = where.child('name');
    const named = isMissing(port.name)
      ? list.length > 1
        ? [fieldErrors.required(name)]
        : []
      : validateDns1123Label(String(port.name)).map((why) => invalid(name, port.name, why));
    return [
      ...named,
      ...portNumber(port.port, where.child('port')),
      ...required(oneOf('SCTP', 'TCP', 'UDP'))(port.protocol, where.child('protocol')),
    ];
  });
};

const subset: Check = (value, at) => {
  const { addresses, notReadyAddresses, ports: given } = isObject(value) ? value : {};
  if (isMissing(addresses) && isMissing(notReadyAddresses)) {
    return [fieldErrors.required(at, 'must specify `addresses` or `notReadyAddresses`')];
  }
  return [
    ...each(address)(addresses, at.child('addresses')),
    ...each(address)(notReadyAddresses, at.child('notReadyAddresses')),
    ...ports(given, at.child('ports')),
  ];
};

export const endpoints: Check = fields({ subsets: each(subset) });

/** An event is in the namespace of what it is about, or of the newer form, which says who reports what. */
export function event(object: KubeObject): FieldError[] {
  const about = childOf(object, 'involvedObject');
  const { namespace = '' } = object.metadata;
  const of = typeof about.namespace === 'string' ? about.namespace : '';
  const where = FieldPath.of('involvedObject', 'namespace');
  const isCluster = of === '' && (namespace === 'default' || namespace === 'kube-system');
  const misplaced =
    of === namespace || isCluster ? [] : [invalid(where, of, 'does not match event.namespace')];
  return isMissing(object.eventTime) ? misplaced : reported(object as unknown as JsonObject);
}

const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

function reported(event: JsonObject): FieldError[] {
  const controller = FieldPath.of('reportingComponent');
  const name = String(event.reportingComponent ?? '');
  const types = ['Normal', 'Warning'];
  return [
    ...(name === '' ? [fieldErrors.required(controller)] : []),
    ...validateQualifiedName(name).map((why) => invalid(controller, name, why)),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((field) =>
      isMissing(event[field]) ? [fieldErrors.required(field)] : [],
    ),
    ...Object.entries(longest).flatMap(([field, most]) =>
      String(getOwn(event, field) ?? '').length > most
        ? [invalid(FieldPath.of(field), '', `can have at most ${most} characters`)]
        : [],
    ),
    ...(types.includes(String(event.type ?? ''))
      ? []
      : [invalid(FieldPath.of('type'), '', `has invalid value: ${String(event.type ?? '')}`)]),
  ];
}
