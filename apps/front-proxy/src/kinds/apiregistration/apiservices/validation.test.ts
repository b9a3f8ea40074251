import { fieldErrorText } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { ApiService } from '@annex/aggregation';
import { validateApiService, validateApiServiceStatus } from './validation.ts';

const service = { namespace: 'default', name: 'x' };
const base = {
  group: 'val.example.com',
  version: 'v1',
  groupPriorityMinimum: 1000,
  versionPriority: 15,
  service,
  insecureSkipTLSVerify: true,
};
const errorsOf = (name: string, spec: object): string[] =>
  validateApiService({ metadata: { name }, spec: { ...base, ...spec } } as ApiService).map(fieldErrorText);

describe('an APIService (recording apiservice-validation, G13)', () => {
  it.each<[string, string, object, string[]]>([
    ['is valid', 'v1.val.example.com', {}, []],
    [
      'may have the highest priorities',
      'v1.val.example.com',
      { groupPriorityMinimum: 20000, versionPriority: 1000 },
      [],
    ],
    ['may be the core group', 'v1.', { group: '', service: undefined, insecureSkipTLSVerify: undefined }, []],
    [
      'must be named by version and group',
      'foo',
      {},
      ['metadata.name: Invalid value: "foo": must be `spec.version+"."+spec.group`: "v1.val.example.com"'],
    ],
    ['has one error for a name that is not a path segment (APIS-012)', 'v1/val.example.com', {}, []],
    [
      'has priorities in bounds',
      'v1.val.example.com',
      { groupPriorityMinimum: 20001, versionPriority: -5 },
      [
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: -5: must be positive and less than 1000',
      ],
    ],
    [
      'either skips verification or has a bundle',
      'v1.val.example.com',
      { caBundle: 'Zm9v' },
      ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ],
    [
      'needs a namespace and a name of its service (APIS-009)',
      'v1.val.example.com',
      { service: {} },
      ['spec.service.namespace: Required value', 'spec.service.name: Required value'],
    ],
    [
      'needs a port number',
      'v1.val.example.com',
      { service: { ...service, port: 70000 } },
      ['spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive'],
    ],
    [
      'cannot have a bundle without a service',
      'v1.val.example.com',
      { service: undefined, insecureSkipTLSVerify: undefined, caBundle: 'Zm9v' },
      ['spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle'],
    ],
    [
      'cannot skip verification without a service',
      'v1.val.example.com',
      { service: undefined },
      [
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    [
      'has a group, unless it is v1',
      'v2.',
      { group: '', version: 'v2' },
      ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
    ],
  ])('%s', (_, name, spec, expected) => expect(errorsOf(name, spec)).toEqual(expected));

  it('has a known status in each condition', () => {
    const conditions = [{ type: 'Available', status: 'Maybe' as 'True' }];
    expect(validateApiServiceStatus(conditions).map(fieldErrorText)).toEqual([
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    ]);
  });
});
