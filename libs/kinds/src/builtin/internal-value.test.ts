import { isObject, type JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { internalValue } from './internal-value.ts';

it.each([
  [
    'absent fields have the zero values of Go',
    'Container',
    { name: 'c' },
    {
      Name: 'c',
      Image: '',
      Args: null,
      Resources: { Limits: null, Requests: null, Claims: null },
      Stdin: false,
    },
  ],
  [
    'embedded structs are beside the other fields',
    'Volume',
    { name: 'v', emptyDir: {} },
    { Name: 'v', EmptyDir: { Medium: '', SizeLimit: null }, Secret: null },
  ],
  [
    'metadata that is embedded too, as JSON of v1',
    'PodTemplateSpec',
    { metadata: { labels: { b: '1' } } },
    { labels: { b: '1' } },
  ],
  [
    'the namespaces of the host are in the security context of a Pod, which is never absent',
    'PodSpec',
    { hostNetwork: true },
    { SecurityContext: { HostNetwork: true, HostPID: false, HostUsers: null, RunAsUser: null } },
  ],
  [
    'pointers, lists and maps of structs',
    'ProjectedVolumeSource',
    { sources: [{ configMap: { name: 'c', items: [] } }] },
    { Sources: [{ Secret: null, ConfigMap: { Name: 'c', Items: [], Optional: null } }], DefaultMode: null },
  ],
])('%s', (_, type, value, expected) => {
  expect(internalValue(type)(value as JsonObject)).toMatchObject(expected);
});

it('has the fields in the order of Go, whatever the order of the members', () => {
  const made = internalValue('Toleration')({ tolerationSeconds: 1, key: 'k' });
  expect(isObject(made) && Object.keys(made)).toEqual([
    'Key',
    'Operator',
    'Value',
    'Effect',
    'TolerationSeconds',
  ]);
});
