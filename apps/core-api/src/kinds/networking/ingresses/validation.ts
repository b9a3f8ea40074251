import { isIP } from 'node:net';
import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';

import { resourceReference } from '../../shared/resource-reference.ts';

const { invalid } = fieldErrors;

const subdomain = text(validateDns1123Subdomain);
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
  if (isObject(resource)) return resourceReference(resource, at.child('resource'));
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
  const provided = String(value ?? '');
  if (!provided.startsWith('/')) return [invalid(at, provided, 'must be an absolute path')];
  return [
    ...badSequences.filter((part) => provided.includes(part)).map((part) => `must not contain '${part}'`),
    ...badSuffixes.filter((part) => provided.endsWith(part)).map((part) => `cannot end with '${part}'`),
  ].map((why) => invalid(at, provided, why));
};

const noErrors: Check = () => [];
const looseName: Check = (value, at) =>
  !isMissing(value) && !String(value).startsWith('/') ? [invalid(at, value, 'must be an absolute path')] : [];

const ingressPath: Check = (value, at) => {
  const { path: provided, pathType, backend } = isObject(value) ? value : {};
  const types = ['Exact', 'ImplementationSpecific', 'Prefix'];
  const strict = pathType === 'Exact' || pathType === 'Prefix';
  if ((pathType ?? null) === null)
    return [fieldErrors.required(at.child('pathType'), 'pathType must be specified')];
  return [
    ...oneOf(...types)(pathType, at.child('pathType')),
    ...(strict ? strictPath : pathType === 'ImplementationSpecific' ? looseName : noErrors)(
      provided,
      at.child('path'),
    ),
    ...ingressBackend(backend ?? {}, at.child('backend')),
  ];
};

const host: Check = (value, at) => (isMissing(value) ? [] : hostName(value, at));

const hostName: Check = (value, at) => {
  const name = String(value ?? '');
  if (isIP(name) !== 0) return [invalid(at, value, 'must be a DNS name, not an IP address')];
  const check = name.includes('*') ? validateWildcardDns1123Subdomain : validateDns1123Subdomain;
  return check(name).map((why) => invalid(at, name, why));
};

// Hosts of certificates may be wildcards too.
const tls = fields({ hosts: each(hostName), secretName: subdomain });

/** Checks the spec of an Ingress. */
export const validateIngressSpec: Check = all(
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

/** Checks that a new Ingress has one class, in its spec or in an annotation. */
export const validateNewIngress = ({
  metadata,
  spec,
}: {
  metadata: object;
  spec?: unknown;
}): FieldError[] => {
  const annotation = 'kubernetes.io/ingress.class';
  const provided = childOf(metadata, 'annotations')[annotation];
  const named = isObject(spec) ? spec.ingressClassName : undefined;
  if (provided === undefined || named === undefined || named === null || provided === named) return [];
  return [
    invalid(
      `metadata.annotations.${annotation}`,
      provided,
      'must match `ingressClassName` when both are specified',
    ),
  ];
};
