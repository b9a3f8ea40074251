import { fieldErrorText, finish, type JsonObject, type KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { betaOfCrd, crdOfBeta, internalBetaCrd } from './beta-crd.ts';
import { betaCrdDefaults } from './beta-defaults.ts';
import { betaRequirements } from './beta-kind.ts';
import { betaCrd, nonStructural, schemaOf } from './beta.fixture.ts';
import { validateCrd } from '../validation/validate-crd.ts';

function made(spec: object = {}): KubeObject {
  const crd = structuredClone(betaCrd(spec));
  finish(betaCrdDefaults(crd as unknown as JsonObject));
  return crd as unknown as KubeObject;
}

const errorsOf = (spec: object): string[] =>
  finish(validateCrd(internalBetaCrd(made(spec)), betaRequirements)).map(fieldErrorText);
const hostPort = { openAPIV3Schema: { type: 'object', properties: { hostPort: { type: 'string' } } } };
const hostAndPort = {
  openAPIV3Schema: { type: 'object', properties: { host: { type: 'string' }, port: { type: 'string' } } },
};
const perVersion = {
  validation: undefined,
  versions: [
    { name: 'v1beta1', served: true, storage: true, schema: hostPort },
    { name: 'v1', served: true, storage: false, schema: hostAndPort },
  ],
};
const service = { namespace: 'my-service-namespace', name: 'my-service-name', path: '/my-path', port: 1234 };

describe('a CRD of v1beta1 in v1', () => {
  it.each<[string, object, object]>([
    [
      'FIX-020 V1B-002 one schema above the versions is that of each of them',
      {},
      {
        versions: [
          { name: 'v1beta1', served: true, storage: true, schema: hostAndPort },
          { name: 'v1', served: true, storage: false, schema: hostAndPort },
        ],
        preserveUnknownFields: true,
      },
    ],
    [
      'FIX-025 V1B-004 the client configuration of a webhook is in the webhook',
      {
        ...perVersion,
        preserveUnknownFields: false,
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: {
            service: { namespace: 'default', name: 'example-conversion-webhook-server', path: '/crdconvert' },
            caBundle: 'Zm9v',
          },
        },
      },
      {
        versions: perVersion.versions,
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: {
              service: {
                namespace: 'default',
                name: 'example-conversion-webhook-server',
                path: '/crdconvert',
                port: 443,
              },
              caBundle: 'Zm9v',
            },
            // V1B-008
            conversionReviewVersions: ['v1beta1'],
          },
        },
      },
    ],
    [
      'V1B-005 V1B-007 FIX-026 a webhook has a URL, and versions of reviews',
      {
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://my-webhook.example.com:9443/my-webhook-path' },
          conversionReviewVersions: ['v1', 'v1beta1'],
        },
      },
      {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: 'https://my-webhook.example.com:9443/my-webhook-path' },
            conversionReviewVersions: ['v1', 'v1beta1'],
          },
        },
      },
    ],
    [
      'V1B-006 FIX-027 or a service',
      { conversion: { strategy: 'Webhook', webhookClientConfig: { service, caBundle: 'Zm9v' } } },
      {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { service, caBundle: 'Zm9v' },
            conversionReviewVersions: ['v1beta1'],
          },
        },
      },
    ],
    [
      'columns have their path under another name',
      { additionalPrinterColumns: [{ name: 'Host', type: 'string', JSONPath: '.host' }] },
      {
        versions: [
          {
            name: 'v1beta1',
            additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.host' }],
          },
          { name: 'v1', additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.host' }] },
        ],
      },
    ],
    [
      'a version is converted to a list of one',
      { version: 'v1', versions: undefined },
      { versions: [{ name: 'v1', served: true, storage: true }] },
    ],
    ['a CRD without a scope is namespaced', { scope: undefined }, { scope: 'Namespaced' }],
  ])('%s, and back', (_name, beta, expected) => {
    const sent = made(beta);
    const stored = crdOfBeta(sent);
    expect(stored).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', spec: expected });
    for (const field of ['version', 'validation', 'additionalPrinterColumns'])
      expect(stored.spec).not.toHaveProperty(field);
    expect(betaOfCrd(stored)).toEqual(sent);
  });

  it('V1B-008 has no review versions without a conversion webhook', () => {
    expect(made().spec).not.toHaveProperty('conversion.conversionReviewVersions');
  });
});

describe('the requirements of v1beta1', () => {
  it.each<[string, object, string[]]>([
    ['V1B-001 nothing of the documented one', {}, []],
    ['KEP-001 no structural schema', { validation: schemaOf(nonStructural) }, []],
    ['no schema', { validation: undefined }, []],
    [
      'KEP-054 V1B-003 pruning requires a structural schema',
      {
        validation: schemaOf({ port: { anyOf: [{ minimum: 1 }] } }),
        preserveUnknownFields: false,
      },
      [
        'spec.validation.openAPIV3Schema.properties[port].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'pruning requires a schema of each served version',
      { validation: undefined, preserveUnknownFields: false },
      ['v1beta1', 'v1'].map(
        (_, i) =>
          `spec.versions[${i}].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned`,
      ),
    ],
    [
      'KEP-055 there are no defaults',
      { validation: schemaOf({ host: { type: 'string', default: 'a' } }) },
      [
        'spec.validation.openAPIV3Schema.properties[host].default: Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)',
      ],
    ],
    [
      'KEP-002 extensions ask for a structural schema',
      { validation: schemaOf({ port: {}, any: { 'x-kubernetes-preserve-unknown-fields': true } }) },
      [
        'spec.validation.openAPIV3Schema.properties[port].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'VAL-015 and so do rules',
      {
        validation: schemaOf({
          port: {},
          any: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""' }] },
        }),
      },
      [
        'spec.validation.openAPIV3Schema.properties[port].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'KEP-052 conversion by a webhook requires pruning, and therefore a structural schema',
      {
        validation: schemaOf(nonStructural),
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://x.example.com/' } },
      },
      [
        'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
      ],
    ],
    [
      'shared members are set above the versions or in them',
      { versions: perVersion.versions },
      ['spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive'],
    ],
    [
      'a version is the first of the versions',
      { version: 'v1' },
      ['spec.version: Invalid value: "v1": must match the first version in spec.versions'],
    ],
    ['approval is not required', { group: 'example.com' }, []],
  ])('%s', (_name, spec, expected) => expect(errorsOf(spec)).toEqual(expected));

  it('members of versions must not all be equal', () => {
    const versions = perVersion.versions.map((version) => ({ ...version, schema: hostPort }));
    const errors = finish(validateCrd(internalBetaCrd(made({ ...perVersion, versions })), betaRequirements));
    expect(errors.map(({ field, detail }) => [field, detail])).toEqual([
      [
        'spec.versions',
        'per-version schemas may not all be set to identical values (top-level validation should be used instead)',
      ],
    ]);
  });
});
