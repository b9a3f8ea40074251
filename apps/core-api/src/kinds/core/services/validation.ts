import { isIP, isIPv6 } from 'node:net';
import {
  errorsAtOnce,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  type KubeObject,
  repetitions,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabels,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
} from '@annex/machinery';
import {
  isExternallyAccessible,
  isHeadless,
  needsHealthCheckPort,
  type ServicePort,
  type ServiceSpec,
  serviceSpec,
} from './spec.ts';
import { cidrErrors } from '../../shared/cidrs.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';

const path = FieldPath.of('spec');
const invalidTexts = (at: FieldPath, value: unknown, texts: readonly string[]) =>
  texts.map((text) => fieldErrors.invalid(at, value, text));

/** The allowed values of fields, if they are set. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  type: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
  sessionAffinity: ['ClientIP', 'None'],
  internalTrafficPolicy: ['Cluster', 'Local'],
  trafficDistribution: ['PreferClose', 'PreferSameZone', 'PreferSameNode'],
  ipFamilyPolicy: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
};

/** Checks the spec of a Service before its addresses are allocated. */
export function validateService(service: KubeObject): FieldError[] {
  const spec = serviceSpec(service);
  const needsPorts = !spec.ports?.length && !isHeadless(spec) && spec.type !== 'ExternalName';
  return [
    ...(needsPorts ? [fieldErrors.required(path.child('ports'))] : []),
    ...typeErrors(spec),
    ...portsErrors(spec),
    ...(spec.selector ? validateLabels(spec.selector, path.child('selector')) : []),
    ...unsupported(spec),
    ...affinityErrors(spec),
    ...clusterIpErrors(spec),
    ...externalIpErrors(spec),
    ...duplicatePortErrors(spec),
    ...loadBalancerErrors(spec),
    ...externalPolicyErrors(spec),
  ];
}

const unsupported = (spec: ServiceSpec): FieldError[] =>
  Object.entries(allowed).flatMap(([field, values]) => {
    const value = getOwn(spec, field);
    return value === undefined || values.includes(String(value))
      ? []
      : [fieldErrors.notSupported(path.child(field), value, values)];
  });

function typeErrors(spec: ServiceSpec): FieldError[] {
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec)) {
    const text = `may not be set to 'None' for ${spec.type} services`;
    return [fieldErrors.invalid(path.child('clusterIPs').index(0), 'None', text)];
  }
  if (spec.type !== 'ExternalName') return [];
  const present = (['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const).filter(
    (field) => spec[field]?.length,
  );
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  const at = path.child('externalName');
  return [
    ...present.map((f) => fieldErrors.forbidden(path.child(f), 'may not be set for ExternalName services')),
    ...(name === '' ? [fieldErrors.required(at)] : invalidTexts(at, name, validateDns1123Subdomain(name))),
  ];
}

function portsErrors(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  return errorsOfEach(ports, (port, index) =>
    portErrors(port, ports.length > 1, names, path.child('ports').index(index)),
  );
}

function portErrors(
  port: ServicePort,
  nameRequired: boolean,
  names: Set<string>,
  at: FieldPath,
): FieldError[] {
  const { name = '', targetPort = 0 } = port;
  const errors: FieldError[] = [];
  if (name === '' && nameRequired) errors.push(fieldErrors.required(at.child('name')));
  else if (name !== '') {
    errors.push(...invalidTexts(at.child('name'), name, validateDns1123Label(name)));
    if (names.has(name)) errors.push(fieldErrors.duplicate(at.child('name'), name));
    names.add(name);
  }
  errors.push(...invalidTexts(at.child('port'), port.port, validatePortNumber(port.port)));
  if (!['SCTP', 'TCP', 'UDP'].includes(port.protocol)) {
    errors.push(fieldErrors.notSupported(at.child('protocol'), port.protocol, ['SCTP', 'TCP', 'UDP']));
  }
  const texts =
    typeof targetPort === 'string' ? validatePortName(targetPort) : validatePortNumber(targetPort);
  errors.push(...invalidTexts(at.child('targetPort'), targetPort, texts));
  if (port.appProtocol !== undefined) {
    errors.push(
      ...invalidTexts(at.child('appProtocol'), port.appProtocol, validateQualifiedName(port.appProtocol)),
    );
  }
  return errors;
}

function duplicatePortErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const at = (index: number) => path.child('ports').index(index);
  const isRepeated = repetitions();
  const ports = spec.ports ?? [];
  if (spec.type === 'ClusterIP') {
    const text = "may not be used when `type` is 'ClusterIP'";
    ports.forEach((p, i) => p.nodePort && errors.push(fieldErrors.forbidden(at(i).child('nodePort'), text)));
  }
  ports.forEach(({ nodePort, protocol }, i) => {
    if (nodePort && isRepeated(`node ${protocol} ${nodePort}`)) {
      errors.push(fieldErrors.duplicate(at(i).child('nodePort'), nodePort));
    }
  });
  ports.forEach(({ port, protocol }, i) => {
    if (!isRepeated(`${protocol} ${port}`)) return;
    // The Go value that kube-apiserver prints.
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    errors.push(fieldErrors.duplicate(at(i), shown));
  });
  return errors;
}

function affinityErrors(spec: ServiceSpec): FieldError[] {
  if (spec.sessionAffinity !== 'ClientIP') return [];
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const at = path.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (seconds === undefined) return [fieldErrors.required(at)];
  if (seconds > 0 && seconds <= 86400) return [];
  return [fieldErrors.invalid(at, seconds, 'must be greater than 0 and less than 86400')];
}

/** Checks the address fields of a Service. */
export function clusterIpErrors(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIP = '', clusterIPs = [], ipFamilies = [] } = spec;
  const at = path.child('clusterIPs');
  const errors: FieldError[] = [];
  if (clusterIP !== '' && clusterIPs.length === 0) errors.push(fieldErrors.required(at));
  else if (clusterIP !== '' && clusterIPs[0] !== clusterIP) {
    errors.push(fieldErrors.invalid(at, clusterIPs, 'first value must match `clusterIP`'));
  } else if (clusterIP === '' && clusterIPs.length > 0) {
    errors.push(fieldErrors.invalid(at, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  }
  const isRepeated = repetitions();
  ipFamilies.forEach((family, index) => {
    const where = path.child('ipFamilies').index(index);
    if (family !== 'IPv4' && family !== 'IPv6')
      errors.push(fieldErrors.notSupported(where, family, ['IPv4', 'IPv6']));
    if (isRepeated(family)) errors.push(fieldErrors.duplicate(where, family));
  });
  const wellFormed = errorsAtOnce(() => addressErrors(clusterIPs));
  if (clusterIPs.length > 2)
    wellFormed.push(fieldErrors.invalid(at, clusterIPs, 'may only hold up to 2 values'));
  if (wellFormed.length > 0) return [...errors, ...wellFormed];
  if (clusterIPs.length === 2 && isIPv6(clusterIPs[0] ?? '') === isIPv6(clusterIPs[1] ?? '')) {
    errors.push(fieldErrors.invalid(at, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  clusterIPs.slice(0, ipFamilies.length).forEach((ip, index) => {
    if (isIPv6(ip) === (ipFamilies[index] === 'IPv6')) return;
    const text = `expected an ${ipFamilies[index]} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(fieldErrors.invalid(at.index(index), ip, text));
  });
  return errors;
}

const badAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

function addressErrors(clusterIps: readonly string[]): FieldError[] {
  const at = path.child('clusterIPs');
  return errorsOfEach(clusterIps, (ip, index) => {
    if (ip === 'None' && index === 0) {
      return clusterIps.length === 1
        ? []
        : [fieldErrors.invalid(at, clusterIps, "'None' must be the first and only value")];
    }
    return isIP(ip) > 0 ? [] : [fieldErrors.invalid(at.index(index), ip, badAddress)];
  });
}

const externalIpErrors = (spec: ServiceSpec): FieldError[] =>
  errorsOfEach(spec.externalIPs ?? [], (ip, index) =>
    endpointIpErrors(ip, path.child('externalIPs').index(index)),
  );

const classErrors = ({ loadBalancerClass }: ServiceSpec): FieldError[] =>
  loadBalancerClass === undefined
    ? []
    : invalidTexts(
        path.child('loadBalancerClass'),
        loadBalancerClass,
        validateQualifiedName(loadBalancerClass),
      );

function loadBalancerErrors(spec: ServiceSpec): FieldError[] {
  const ranges = path.child('LoadBalancerSourceRanges');
  const invalid = [
    ...errorsOfEach(spec.loadBalancerSourceRanges ?? [], (cidr, i) => cidrErrors(cidr, ranges.index(i))),
    ...classErrors(spec),
  ];
  if (spec.type === 'LoadBalancer') return invalid;
  const text = "may only be used when `type` is 'LoadBalancer'";
  const errors = [...invalid];
  if (spec.loadBalancerSourceRanges?.length) {
    errors.push(fieldErrors.forbidden(ranges, text));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined) {
    errors.push(fieldErrors.forbidden(path.child('allocateLoadBalancerNodePorts'), text));
  }
  if (spec.loadBalancerClass !== undefined)
    errors.push(fieldErrors.forbidden(path.child('loadBalancerClass'), text));
  return errors;
}

function externalPolicyErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const policy = spec.externalTrafficPolicy;
  const at = path.child('externalTrafficPolicy');
  if (!isExternallyAccessible(spec)) {
    if (policy)
      errors.push(fieldErrors.invalid(at, policy, 'may only be set for externally-accessible services'));
  } else if (policy !== 'Cluster' && policy !== 'Local') {
    errors.push(fieldErrors.notSupported(at, policy, ['Cluster', 'Local']));
  }
  const port = spec.healthCheckNodePort ?? 0;
  if (needsHealthCheckPort(spec) && port !== 0 && (port < 1 || port > 65535))
    errors.push(
      fieldErrors.invalid(path.child('healthCheckNodePort'), port, 'must be between 1 and 65535, inclusive'),
    );
  if (spec.healthCheckNodePort && !needsHealthCheckPort(spec)) {
    const text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(fieldErrors.invalid(path.child('healthCheckNodePort'), spec.healthCheckNodePort, text));
  }
  return errors;
}

/** Checks that allocated addresses do not change. */
export function addressChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  const errors: FieldError[] = [];
  const immutable = 'may not change once set';
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (!(isHeadless(spec) && isHeadless(old)) && old.clusterIPs?.length) {
    const at = path.child('clusterIPs').index(0);
    if (clusterIPs.length === 0)
      errors.push(fieldErrors.invalid(at, clusterIPs, 'primary clusterIP can not be unset'));
    else if (clusterIPs[0] !== old.clusterIPs[0]) errors.push(fieldErrors.invalid(at, clusterIPs, immutable));
  }
  if (isHeadless(spec) || isHeadless(old) || !old.ipFamilies?.length) return errors;
  if (ipFamilies.length > 0 && ipFamilies[0] !== old.ipFamilies[0]) {
    errors.push(fieldErrors.invalid(path.child('ipFamilies').index(0), ipFamilies, immutable));
  }
  return errors;
}

/** Checks that the class and the health check port of a load balancer do not change. */
export function loadBalancerChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const loadBalancerClass = spec.loadBalancerClass ?? null;
  const remains = spec.type === 'LoadBalancer' && old.type === 'LoadBalancer';
  if (remains && loadBalancerClass !== (old.loadBalancerClass ?? null))
    errors.push(
      fieldErrors.invalid(path.child('loadBalancerClass'), loadBalancerClass, 'may not change once set'),
    );
  // kube-apiserver checks the class twice.
  errors.push(...classErrors(spec));
  const checked = needsHealthCheckPort(spec) && needsHealthCheckPort(old);
  if (checked && (spec.healthCheckNodePort ?? 0) !== (old.healthCheckNodePort ?? 0))
    errors.push(fieldErrors.forbidden(path.child('healthCheckNodePort'), 'field is immutable'));
  return errors;
}
