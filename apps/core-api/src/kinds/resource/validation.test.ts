import { fieldErrorText, FieldPath, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import type { BuiltinKind } from '../builtin-kind.ts';
import { deviceClasses } from './deviceclasses/kind.ts';
import { resourceClaims } from './resourceclaims/kind.ts';
import { resourceClaimTemplates } from './resourceclaimtemplates/kind.ts';
import { maxSelectorBytes } from './shared/device-selectors.ts';

const named = (spec: object): KubeObject => ({ metadata: { name: 'a' }, spec }) as KubeObject;
const texts = (kind: BuiltinKind, spec: object): string[] => {
  const { object, create } = kind.validation ?? {};
  const created = named(spec);
  return [...(object?.(created, FieldPath.root) ?? []), ...(create?.(created, FieldPath.root) ?? [])].map(
    fieldErrorText,
  );
};

const domains = (...variables: string[]): string =>
  variables.reduceRight(
    (inner, name) => `device.attributes.exists(${name}, ${inner})`,
    `${variables.join('+')} == "x"`,
  );
const at = 'spec.selectors[0].cel.expression';
const failed = (expression: string, text: string): string =>
  `${at}: Invalid value: ${JSON.stringify(expression)}: ${text}`;
const row = (expression: string, text: string): [string, string[]] => [
  expression,
  [failed(expression, text)],
];

// The texts are those of kube-apiserver 1.36.3.
it.each<[string, string[]]>([
  ['device.driver.startsWith("a") && "a" in device.attributes && has(device.attributes.x)', []],
  ['device.attributes["a"].b', []],
  ['device.allowMultipleAllocations', []],
  ['cel.bind(d, device.attributes["a"], d.x == 1 && d.y)', []],
  ['device.capacity["a"].b.isGreaterThan(quantity("1Gi"))', []],
  ['device.attributes["a"].v.isGreaterThan(semver("1.0"))', []],
  ['kubernetes.DRADevice{}.driver == ""', []],
  [domains('k', 'l'), []],
  [
    'device.attributes["a"].exists(k, device.attributes["b"].exists(l, device.attributes[k][l].matches("a+")))',
    [],
  ],
  [domains('k', 'l', 'm'), [`${at}: Forbidden: too complex, exceeds cost limit`]],
  [
    'device.attributes.all(k, device.attributes[k].all(l, device.attributes.all(m, string(device.attributes[m][l]) + "x" == device.attributes[k][l])))',
    [`${at}: Forbidden: too complex, exceeds cost limit`],
  ],
  row('device.driver', 'must evaluate to bool or the unknown type, not string'),
  row('dyn(true)', 'must evaluate to bool or the unknown type, not dyn'),
  row(
    'device.attributes["a"]',
    'must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)',
  ),
  row(
    'device.foo == 1',
    "compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo == 1\n | ......^",
  ),
  row(
    'device.capacity["a"].b > 1',
    "compilation failed: ERROR: <input>:1:24: found no matching overload for '_>_' applied to '(kubernetes.Quantity, int)'\n | device.capacity[\"a\"].b > 1\n | .......................^",
  ),
  row(
    'object.x',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object' (in container '')\n | object.x\n | ^",
  ),
  row(
    '',
    "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ),
])('a DeviceClass that selects by %s', (expression, expected) => {
  expect(texts(deviceClasses, { selectors: [{ cel: { expression } }] })).toEqual(expected);
});

it('expressions longer than maxSelectorBytes are not compiled', () => {
  const selectors = (bytes: number) => [{ cel: { expression: 'x'.repeat(bytes) } }];
  expect(texts(deviceClasses, { selectors: selectors(maxSelectorBytes) })[0]).toContain(
    'undeclared reference',
  );
  expect(texts(deviceClasses, { selectors: selectors(maxSelectorBytes + 1) })).toEqual([
    `${at}: Too long: may not be more than 10240 bytes`,
  ]);
});

it('the expressions of a large claim are compiled before it is checked', async () => {
  const expression = `device.driver == "${'x'.repeat(maxSelectorBytes - 30)}" || 1`;
  const selectors = Array.from({ length: 20 }, () => ({ cel: { expression } }));
  const large = named({ devices: { requests: [{ name: 'r', exactly: { ...exactly, selectors } }] } });
  const { before, create } = resourceClaims.validation ?? {};
  await before?.(large);
  const errors = create?.(large, FieldPath.root);
  expect(errors).toHaveLength(20);
  // They are not compiled again.
  for (const { cel } of selectors) cel.expression = 'true';
  expect(create?.(large, FieldPath.root)).toEqual(errors);
  expect(before?.(named(claim({ selectors })))).toBeUndefined();
});

const exactly = { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
const claim = (changes: object = {}) => ({
  devices: { requests: [{ name: 'r', exactly: { ...exactly, ...changes } }] },
});

it('a claim is checked with its expressions', () => {
  expect(texts(resourceClaims, claim({ selectors: [{ cel: { expression: '1' } }, {}] }))).toEqual([
    'spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
    'spec.devices.requests[0].exactly.selectors[1].cel: Required value',
  ]);
});

it('a template of claims has no other metadata than labels and annotations', () => {
  const metadata = {
    labels: { a: '-' },
    annotations: { 'a b': '' },
    uid: 'u',
    name: 'n',
    finalizers: ['a/b'],
  };
  expect(texts(resourceClaimTemplates, { metadata, spec: claim({ deviceClassName: '' }) })).toEqual([
    expect.stringMatching(/^spec\.metadata\.annotations: Invalid value: "a b": name part must/),
    expect.stringMatching(/^spec\.metadata\.labels: Invalid value: "-": a valid label must/),
    'spec.metadata.name: Forbidden: cannot be set',
    'spec.metadata.uID: Forbidden: cannot be set',
    'spec.metadata.finalizers: Forbidden: cannot be set',
    'spec.spec.devices.requests[0].exactly.deviceClassName: Required value',
  ]);
});

const goRequest =
  '{"Name":"r","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":2,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}';

it.each<[string, BuiltinKind, object, object, string]>([
  [
    'a claim',
    resourceClaims,
    claim(),
    claim({ count: 2 }),
    `{"Devices":{"Requests":[${goRequest}],"Constraints":null,"Config":null}}`,
  ],
  [
    'a claim with constraints',
    resourceClaims,
    claim(),
    {
      devices: {
        requests: [
          {
            name: 'f',
            firstAvailable: [
              {
                name: 'x',
                ...exactly,
                tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
              },
            ],
          },
        ],
        constraints: [{ requests: ['f'], matchAttribute: 'a.b/c' }],
        config: [{ opaque: { driver: 'x.y', parameters: { a: 1 } } }],
      },
    },
    '{"Devices":{"Requests":[{"Name":"f","Exactly":null,"FirstAvailable":[{"Name":"x","DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":1,"Tolerations":[{"Key":"a","Operator":"Exists","Value":"","Effect":"NoSchedule","TolerationSeconds":null}],"Capacity":null}]}],"Constraints":[{"Requests":["f"],"MatchAttribute":"a.b/c","DistinctAttribute":null}],"Config":[{"Requests":null,"Opaque":{"Driver":"x.y","Parameters":{"a":1}}}]}}',
  ],
  [
    'a template',
    resourceClaimTemplates,
    { metadata: { labels: { a: 'b' } }, spec: claim() },
    { metadata: { labels: { a: 'c' } }, spec: claim({ count: 2 }) },
    `{"labels":{"a":"c"},"Spec":{"Devices":{"Requests":[${goRequest}],"Constraints":null,"Config":null}}}`,
  ],
])('the spec of %s does not change; the error prints its Go value', (_what, kind, old, updated, printed) => {
  const errors = kind.validation?.update?.(named(updated), named(old)) ?? [];
  expect(errors.map(fieldErrorText)).toEqual([`spec: Invalid value: ${printed}: field is immutable`]);
});
