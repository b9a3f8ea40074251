import { isIP } from 'node:net';
import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  validateDns1123Subdomain,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, each, isMissing, objectsOf, oneOf } from '../checks.ts';

const { invalid, forbidden } = fieldErrors;

const id: Check = (value, at) =>
  typeof value === 'number' && (value < 0 || value > 2147483647)
    ? [invalid(at, value, 'must be between 0 and 2147483647, inclusive')]
    : [];

function seccomp(value: unknown, at: FieldPath): FieldError[] {
  if (!isObject(value)) return [];
  const { type, localhostProfile } = value;
  const where = at.child('localhostProfile');
  if (type === 'Localhost' && isMissing(localhostProfile))
    return [fieldErrors.required(where, 'must be set when seccomp type is Localhost')];
  if (type !== 'Localhost' && !isMissing(localhostProfile))
    return [invalid(where, localhostProfile, 'can only be set when seccomp type is Localhost')];
  if (isMissing(type))
    return [fieldErrors.required(at.child('type'), 'type is required when seccompProfile is set')];
  return oneOf('Localhost', 'RuntimeDefault', 'Unconfined')(type, at.child('type'));
}

/** Checks the security context of a container. */
export const containerSecurity: Check = (value, at) => {
  if (!isObject(value)) return [];
  return [
    ...id(value.runAsUser, at.child('runAsUser')),
    ...id(value.runAsGroup, at.child('runAsGroup')),
    ...oneOf('Default', 'Unmasked')(value.procMount, at.child('procMount')),
    ...seccomp(value.seccompProfile, at.child('seccompProfile')),
  ];
};

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlText =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

function sysctls(value: unknown, at: FieldPath): FieldError[] {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), ({ name }, index) => {
    const where = at.index(index).child('name');
    const isFirst = !isRepeated(name);
    if (isMissing(name)) return [fieldErrors.required(where)];
    const text = String(name);
    return [
      ...(text.length <= 253 && sysctlName.test(text) ? [] : [invalid(where, name, sysctlText)]),
      ...(isFirst ? [] : [fieldErrors.duplicate(where, name)]),
    ];
  });
}

const linuxOnly = [
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
];

/** Checks the security context and the operating system of a pod. */
export function podSecurity(spec: JsonObject, at: FieldPath): FieldError[] {
  const context = childOf(spec, 'securityContext');
  const where = at.child('securityContext');
  const os = childOf(spec, 'os').name;
  const errors = [
    ...id(context.runAsUser, where.child('runAsUser')),
    ...id(context.runAsGroup, where.child('runAsGroup')),
    ...id(context.fsGroup, where.child('fsGroup')),
    ...oneOf('Always', 'OnRootMismatch')(context.fsGroupChangePolicy, where.child('fsGroupChangePolicy')),
    ...each(id)(context.supplementalGroups, where.child('supplementalGroups')),
    ...sysctls(context.sysctls, where.child('sysctls')),
    ...seccomp(context.seccompProfile, where.child('seccompProfile')),
  ];
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(where.child('shareProcessNamespace'), true, why));
  }
  if (spec.hostUsers === false && spec.hostNetwork === true) {
    errors.push(forbidden(at.child('hostNetwork'), 'when `hostUsers` is false'));
  }
  if (os === 'windows') {
    const provided = linuxOnly.filter((name) => !isMissing(getOwn(context, name)));
    errors.push(...provided.map((name) => forbidden(where.child(name), 'cannot be set for a windows pod')));
  } else if (os === 'linux' && context.windowsOptions !== undefined) {
    const why = 'windows options cannot be set for a linux pod';
    errors.push(forbidden(where.child('windowsOptions'), why));
  } else if (isObject(spec.os) && isMissing(os)) {
    errors.push(fieldErrors.required(at.child('os', 'name')));
  } else if (os !== undefined && os !== 'linux') {
    errors.push(fieldErrors.notSupported(at.child('os'), os, ['linux', 'windows']));
  }
  return errors;
}

/** kube-apiserver's message about a string that is not an address. */
export const malformedIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const ip: Check = (value, at) => (isIP(String(value)) === 0 ? [invalid(at, value, malformedIp)] : []);

// Names of a search list may begin with an underscore.
const search: Check = (value, at) => {
  const name = String(value).replace(/\.$/, '').replaceAll('_', 'x');
  return validateDns1123Subdomain(name).map((why) =>
    invalid(
      at,
      value,
      why
        .replace("alphanumeric characters, '-' or '.'", "alphanumeric characters, '_', '-' or '.'")
        .replace(/regex used for validation is '.*'/, `regex used for validation is '${searchPattern}'`),
    ),
  );
};

const searchPattern = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*';

/** Checks the DNS configuration of a pod. */
export function podDns(spec: JsonObject, at: FieldPath): FieldError[] {
  const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  const policy = spec.dnsPolicy;
  const where = at.child('dnsConfig');
  const errors: FieldError[] = isMissing(policy)
    ? [fieldErrors.required(at.child('dnsPolicy'))]
    : oneOf(...policies)(policy, at.child('dnsPolicy'));
  const config = childOf(spec, 'dnsConfig');
  const servers = Array.isArray(config.nameservers) ? config.nameservers : [];
  if (policy === 'None' && !isObject(spec.dnsConfig))
    errors.push(fieldErrors.required(where, 'must provide `dnsConfig` when `dnsPolicy` is None'));
  else if (policy === 'None' && servers.length === 0) {
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    errors.push(fieldErrors.required(where.child('nameservers'), why));
  }
  if (servers.length > 3)
    errors.push(invalid(where.child('nameservers'), servers, 'must not have more than 3 nameservers'));
  errors.push(
    ...each(ip)(servers, where.child('nameservers')),
    ...each(search)(config.searches, where.child('searches')),
    ...errorsOfEach(objectsOf(config.options), ({ name }, index) =>
      isMissing(name) ? [fieldErrors.required(where.child('options').index(index), 'must not be empty')] : [],
    ),
  );
  return [
    ...errors,
    ...errorsOfEach(objectsOf(spec.hostAliases), (alias, i) =>
      hostAlias(alias, at.child('hostAliases').index(i)),
    ),
  ];
}

const hostAlias = ({ ip: address, hostnames }: JsonObject, at: FieldPath): FieldError[] => [
  ...ip(address ?? '', at.child('ip')),
  ...each((name, where) => validateDns1123Subdomain(String(name)).map((why) => invalid(where, name, why)))(
    hostnames,
    at.child('hostnames'),
  ),
];
