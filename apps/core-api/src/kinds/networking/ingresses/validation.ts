import { isIP } from 'node:net';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  tableOf,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from '@annex/machinery';
import { cidrErrors, isSubRange } from '../../shared/cidrs.ts';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  selector,
  text,
} from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';

const { invalid, forbidden } = fieldErrors;

const subdomain = text(validateDns1123Subdomain);
const path: Check = required();

function servicePort(service: JsonObject, at: FieldPath, backend: FieldPath): FieldError[] {
  const { name, number } = childOf(service, 'port');
  const [hasName, hasNumber] = [!isMissing(name), !isMissing(number) && number !== 0];
  if (hasName && hasNumber) return [invalid(backend, '', 'cannot set both port name & port number')];
  if (hasName)
    return validatePortName(String(name)).map((why) => invalid(at.child('port', 'name'), name, why));
  if (hasNumber)
    return validatePortNumber(Number(number)).map((why) => invalid(at.child('port', 'number'), number, why));
  return [fieldErrors.required(backend, 'port name or number is required')];
}

const ingressBackend: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { service, resource } = value;
  if (isObject(service) && isObject(resource))
    return [invalid(at, '', 'cannot set both resource and service backends')];
  if (isObject(resource)) return fields({ kind: path, name: path })(resource, at.child('resource'));
  if (!isObject(service)) return [invalid(at, '', 'resource or service backend is required')];
  const where = at.child('service');
  return [
    ...required(text(validateDns1123Label))(service.name, where.child('name')),
    ...servicePort(service, where, at),
  ];
};

const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badSuffixes = ['/..', '/.'];

const strictPath: Check = (value, at) => {
  const given = String(value ?? '');
  if (!given.startsWith('/')) return [invalid(at, given, 'must be an absolute path')];
  return [
    ...badSequences.filter((part) => given.includes(part)).map((part) => `must not contain '${part}'`),
    ...badSuffixes.filter((part) => given.endsWith(part)).map((part) => `cannot end with '${part}'`),
  ].map((why) => invalid(at, given, why));
};

const looseName: Check = (value, at) =>
  !isMissing(value) && !String(value).startsWith('/') ? [invalid(at, value, 'must be an absolute path')] : [];

const ingressPath: Check = (value, at) => {
  const { path: given, pathType, backend } = isObject(value) ? value : {};
  const types = ['Exact', 'ImplementationSpecific', 'Prefix'];
  const strict = pathType === 'Exact' || pathType === 'Prefix';
  return [
    ...required(oneOf(...types), 'pathType must be specified')(pathType, at.child('pathType')),
    ...(strict ? strictPath : looseName)(given, at.child('path')),
    ...ingressBackend(backend ?? {}, at.child('backend')),
  ];
};

const host: Check = (value, at) => {
  if (isMissing(value)) return [];
  const name = String(value);
  if (isIP(name) !== 0) return [invalid(at, value, 'must be a DNS name, not an IP address')];
  const check = name.includes('*') ? validateWildcardDns1123Subdomain : validateDns1123Subdomain;
  return check(name).map((why) => invalid(at, value, why));
};

// The hosts of certificates may be wildcards too.
const tls = fields({ hosts: each(host), secretName: subdomain });

/** The spec of an Ingress. */
export const ingress: Check = all(
  (value, at) => {
    const { rules, defaultBackend } = isObject(value) ? value : {};
    if (!isMissing(rules) || isObject(defaultBackend)) return [];
    return [invalid(at, rules ?? null, 'either `defaultBackend` or `rules` must be specified')];
  },
  fields({
    tls: each(tls),
    defaultBackend: ingressBackend,
    rules: each(fields({ host, http: fields({ paths: required(each(ingressPath)) }) })),
    ingressClassName: subdomain,
  }),
);

/** An Ingress says its class in one way. */
export const ingressClassOnce = ({ metadata, spec }: { metadata: object; spec?: unknown }): FieldError[] => {
  const annotation = 'kubernetes.io/ingress.class';
  const given = childOf(metadata, 'annotations')[annotation];
  const named = isObject(spec) ? spec.ingressClassName : undefined;
  if (given === undefined || named === undefined || named === null || given === named) return [];
  return [
    invalid(
      `metadata.annotations.${annotation}`,
      given,
      'must match `ingressClassName` when both are specified',
    ),
  ];
};

const controller: Check = (value, at) => {
  const name = String(value);
  if (name.length > 250) return [fieldErrors.tooLong(at, '', 250)];
  const [domain = '', rest] = [
    name.split('/')[0],
    name.includes('/') ? name.slice(name.indexOf('/') + 1) : '',
  ];
  if (!rest) return [invalid(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return validateDns1123Subdomain(domain).map((why) => invalid(at, domain, why));
};

const parameters: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { kind, name, scope, namespace } = value;
  const where = at.child('namespace');
  const errors = [...path(kind, at.child('kind')), ...path(name, at.child('name'))];
  if (scope !== 'Cluster' && scope !== 'Namespace')
    return [...errors, ...required(oneOf('Cluster', 'Namespace'))(scope, at.child('scope'))];
  if (scope === 'Namespace' && isMissing(namespace))
    errors.push(fieldErrors.required(where, "`parameters.scope` is set to 'Namespace'"));
  if (scope === 'Cluster' && namespace !== undefined)
    errors.push(forbidden(where, "`parameters.scope` is set to 'Cluster'"));
  return errors;
};

/** The spec of an IngressClass. */
export const ingressClass: Check = fields({ controller: required(controller), parameters });

const policyPort: Check = (value, at) => {
  const { port, endPort, protocol } = isObject(value) ? value : {};
  const [where, end] = [at.child('port'), at.child('endPort')];
  const errors = oneOf('TCP', 'UDP', 'SCTP')(protocol, at.child('protocol'));
  if (typeof port === 'string') {
    errors.push(...validatePortName(port).map((why) => invalid(where, port, why)));
    if (!isMissing(endPort))
      errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
  } else if (typeof port === 'number') {
    errors.push(...validatePortNumber(port).map((why) => invalid(where, port, why)));
    if (typeof endPort === 'number') {
      // kube shows the port here.
      if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'));
      errors.push(...validatePortNumber(endPort).map((why) => invalid(end, endPort, why)));
    }
  } else if (!isMissing(endPort)) {
    errors.push(invalid(end, endPort, 'may not be specified when `port` is not specified'));
  }
  return errors;
};

const ipBlock: Check = (value, at) => {
  const { cidr, except } = isObject(value) ? value : {};
  const where = at.child('cidr');
  if (isMissing(cidr)) return [fieldErrors.required(where)];
  const errors = cidrErrors(cidr, where);
  if (errors.length > 0) return errors;
  return each((range, place) => {
    const wrong = cidrErrors(range, place);
    if (wrong.length > 0 || isSubRange(String(range), String(cidr))) return wrong;
    return [invalid(place, range, 'must be a strict subset of `cidr`')];
  })(except, at.child('except'));
};

const peer: Check = (value, at) => {
  const { podSelector, namespaceSelector, ipBlock: block } = isObject(value) ? value : {};
  const given = [podSelector, namespaceSelector, block].filter(isObject).length;
  const errors = [
    ...selector(podSelector, at.child('podSelector')),
    ...selector(namespaceSelector, at.child('namespaceSelector')),
    ...(isObject(block) ? ipBlock(block, at.child('ipBlock')) : []),
  ];
  if (given === 0) return [fieldErrors.required(at, 'must specify a peer')];
  return given > 1 && isObject(block)
    ? [...errors, forbidden(at, 'may not specify both ipBlock and another peer')]
    : errors;
};

/** The spec of a NetworkPolicy. */
export const networkPolicy: Check = fields({
  podSelector: selector,
  ingress: each(fields({ ports: each(policyPort), from: each(peer) })),
  egress: each(fields({ ports: each(policyPort), to: each(peer) })),
  policyTypes: (value, at) =>
    Array.isArray(value) && value.length > 2
      ? [invalid(at, value, 'may not specify more than two policyTypes')]
      : each(oneOf('Ingress', 'Egress'))(value, at),
});

/** The ranges of a ServiceCIDR: one for each family. */
export const serviceCidr: Check = (value, at) => {
  const ranges = isObject(value) && Array.isArray(value.cidrs) ? value.cidrs : [];
  const where = at.child('cidrs');
  if (ranges.length === 0) return [fieldErrors.required(where, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(where, { CIDRs: ranges }, 'may only hold up to 2 values')];
  const errors = each(cidrErrors)(ranges, where);
  const families = ranges.map((range) => String(range).includes(':'));
  if (errors.length === 0 && families.length === 2 && families[0] === families[1]) {
    const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    errors.push(invalid(where, ranges, why));
  }
  return errors;
};

/** What an IPAddress belongs to. */
export const ipAddress: Check = (value, at) => {
  const parent = isObject(value) ? value.parentRef : undefined;
  const where = at.child('parentRef');
  if (!isObject(parent)) return [fieldErrors.required(where)];
  return fields({ resource: path, name: path })(parent, where);
};

const addressOf = tableOf<Check>({
  FQDN: text(validateDns1123Subdomain),
  IPv4: (value, at) => endpointIpErrors(String(value), at, 4),
  IPv6: (value, at) => endpointIpErrors(String(value), at, 6),
});

/** An EndpointSlice. */
export const endpointSlice: Check = (value, at) => {
  const slice: JsonObject = isObject(value) ? value : {};
  const address = addressOf.get(String(slice.addressType)) ?? (() => []);
  const endpoint = fields({
    addresses: required(each(address), 'must contain at least 1 address'),
    hostname: text(validateDns1123Label),
    nodeName: subdomain,
  });
  const seen = new Set<string>();
  return [
    ...required(oneOf('FQDN', 'IPv4', 'IPv6'))(slice.addressType, at.child('addressType')),
    ...each(endpoint)(slice.endpoints, at.child('endpoints')),
    ...objectsOf(slice.ports).flatMap(({ name, protocol }, index) => {
      const where = at.child('ports').index(index);
      const key = String(name ?? '');
      const isFirst = !seen.has(key);
      seen.add(key);
      return [
        ...text(validateDns1123Label)(name, where.child('name')),
        ...(isFirst ? [] : [fieldErrors.duplicate(where.child('name'), key)]),
        ...required(oneOf('SCTP', 'TCP', 'UDP'))(protocol, where.child('protocol')),
      ];
    }),
  ];
};
