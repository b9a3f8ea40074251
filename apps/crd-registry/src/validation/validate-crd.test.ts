import { FieldPath, fieldErrorText, finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { crdOf, versionOf, withProperties } from '../crd.fixture.ts';
import type { Crd } from '../crd/crd.ts';
import { crdDefaults } from '../crd/defaults.ts';
import { internalCrd } from '../crd/internal-form.ts';
import { validateCrd, validateCrdUpdate } from './validate-crd.ts';
import { ruleFormErrors } from './validation-rules.ts';
import { maxSelectableFields } from './validate-selectable-fields.ts';

function made(crd: object): Crd {
  const copy = structuredClone(crd) as Crd;
  finish(crdDefaults(copy as never));
  return copy;
}

const errorsOf = (crd: object): string[] => finish(validateCrd(internalCrd(made(crd)))).map(fieldErrorText);
const top = 'spec.validation.openAPIV3Schema';
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

describe('names, group and scope of a new CRD', () => {
  it.each<[string, object, string[]]>([
    ['a minimal CRD is valid', crdOf(), []],
    [
      'CRD-003 a scope is Cluster or Namespaced',
      crdOf({ scope: 'Galaxy' }),
      ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    ['a scope is required', crdOf({ scope: '' }), ['spec.scope: Required value']],
    [
      'CRD-006 the name is plural and group',
      { ...crdOf(), metadata: { name: 'other.example.com' } },
      ['metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'a group has a dot',
      crdOf({}, {}, 'furniture'),
      ['spec.group: Invalid value: "furniture": should be a domain with at least one dot'],
    ],
    [
      'without a kind there are no defaults of singular and listKind',
      crdOf({ names: { kind: '' } }),
      [
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
      ],
    ],
    [
      'kind and listKind differ',
      crdOf({ names: { listKind: 'Widget' } }),
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    [
      'short names are labels',
      crdOf({ names: { shortNames: ['w', '-x'] } }),
      [`spec.names.shortNames[1]: Invalid value: "-x": ${label}`],
    ],
    [
      'a kind may have mixed case and nothing else',
      crdOf({ names: { kind: 'Big Widget', singular: 'widget', listKind: 'Widgets' } }),
      [
        `spec.names.kind: Invalid value: "Big Widget": may have mixed case, but should otherwise match: ${label}`,
      ],
    ],
    [
      'unknown fields are preserved by schemas only',
      crdOf({ preserveUnknownFields: true }),
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
  ])('%s', (_name, crd, expected) => expect(errorsOf(crd)).toEqual(expected));
});

describe('versions of a new CRD', () => {
  const two = (a: object, b: object) => crdOf({ versions: [versionOf(a), versionOf(b)] });
  it('CRD-009 exactly one is the storage version', () => {
    expect(errorsOf(two({}, { name: 'v2' }))).toEqual([
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ]);
  });
  it.each<[string, object, string[]]>([
    [
      'an empty list has no storage version',
      crdOf({ versions: [] }),
      [
        'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'CRD-023 VER-011 each has a schema',
      crdOf({ versions: [{ name: 'v1', served: true, storage: true }] }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'a duplicate storage version is stored once',
      crdOf({ versions: [versionOf(), versionOf({ storage: true })] }),
      [
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
        'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
      ],
    ],
    [
      'the name is reported twice for the first',
      crdOf({}, { name: 'V1' }),
      [`spec.versions[0].name: Invalid value: "V1": ${label}`, `spec.version: Invalid value: "V1": ${label}`],
    ],
    [
      'a warning needs a deprecated version',
      crdOf({}, { deprecationWarning: 'hm' }),
      ['spec.versions[0].deprecationWarning: Invalid value: "hm": can only be set for deprecated versions'],
    ],
    [
      'a warning is quoted as JSON',
      crdOf({}, { deprecationWarning: '\u0000<\u200b' }),
      [
        'spec.versions[0].deprecationWarning: Invalid value: "\\u0000\\u003c\u200b": can only be set for deprecated versions',
      ],
    ],
    [
      'a warning is printable',
      crdOf({}, { deprecated: true, deprecationWarning: 'a\nb' }),
      [
        'spec.versions[0].deprecationWarning: Invalid value: "a\\nb": must only contain printable UTF-8 characters; non-printable character found at index 1',
      ],
    ],
    [
      'SCA-005 SCA-009 SCA-014 scale paths lie under spec and status',
      crdOf(
        {},
        {
          subresources: {
            scale: {
              specReplicasPath: '.status.x',
              statusReplicasPath: 'status.y',
              labelSelectorPath: '.metadata.z',
            },
          },
        },
      ),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "status.y": must be a simple json path starting with .',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.z": should be a json path under either .spec or .status',
      ],
    ],
    [
      'STA-011 uniqueItems may be set at the root with a status, but must not be true',
      crdOf(
        {},
        {
          schema: { openAPIV3Schema: { type: 'object', uniqueItems: true } },
          subresources: { status: {} },
        },
      ),
      [
        'spec.validation.openAPIV3Schema.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
    [
      'SCA-004 SCA-008 scale paths are required',
      crdOf({}, { subresources: { scale: {} as never } }),
      [
        'spec.subresources.scale.specReplicasPath: Required value',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'PRN-013 PRN-023 columns have known types and formats',
      crdOf({}, { additionalPrinterColumns: [{ name: 'A', type: 'object', format: 'foo', jsonPath: 'a' }] }),
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "object": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].format: Invalid value: "foo": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
  ])('%s', (_name, crd, expected) => expect(errorsOf(crd)).toEqual(expected));

  it('errors of members that only one version has name that version', () => {
    const [bad, good] = [withProperties({ a: {} }), withProperties({ a: { type: 'string' } })];
    expect(errorsOf(two({ schema: good }, { name: 'v2', storage: false, schema: bad }))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
  });
});

describe('selectable fields of a new CRD', () => {
  const schema = withProperties({
    spec: { type: 'object', properties: { color: { type: 'string' }, deep: { type: 'object' } } },
  });
  it.each<[string, string[], string[]]>([
    ['SEL-006 a path to a scalar', ['.spec.color'], []],
    [
      'G03 a path that leads nowhere',
      ['.spec.size'],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.size": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      'G03 a path to an object',
      ['.spec.deep'],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.deep": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ],
    ],
    [
      'G03 brackets',
      [".spec['color']"],
      [
        `spec.selectableFields[0].jsonPath: Invalid value: ".spec['color']": is an invalid path: array notation is not allowed`,
      ],
    ],
    [
      'G03 the same twice',
      ['.spec.color', '.spec.color'],
      ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.color"'],
    ],
  ])('%s', (_name, paths, expected) => {
    expect(
      errorsOf(crdOf({}, { schema, selectableFields: paths.map((jsonPath) => ({ jsonPath })) })),
    ).toEqual(expected);
  });
});

it('a schema without structural form is reported where selectable fields need it', () => {
  const schema = withProperties({ a: { type: 'string' }, b: { type: 'object', $ref: 'x' } });
  expect(errorsOf(crdOf({}, { schema, selectableFields: [{ jsonPath: '.a' }] }))).toContain(
    `spec.schema.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`,
  );
});

it('a new CRD has at most maxSelectableFields', () => {
  const names = Array.from({ length: maxSelectableFields + 1 }, (_, i) => `f${i}`);
  const schema = withProperties(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));
  const errors = (count: number) =>
    errorsOf(
      crdOf(
        {},
        { schema, selectableFields: names.slice(0, count).map((name) => ({ jsonPath: `.${name}` })) },
      ),
    );
  expect(errors(maxSelectableFields)).toEqual([]);
  expect(errors(maxSelectableFields + 1)).toEqual([
    'spec.selectableFields: Too many: 9: must have at most 8 items',
  ]);
});

describe('conversion of a new CRD', () => {
  const webhook = (clientConfig: object | undefined, conversionReviewVersions: string[] = ['v1']) =>
    crdOf({ conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } } });
  const client = 'spec.conversion.webhookClientConfig';
  it.each<[string, object, string[]]>([
    ['CNV-014 a URL', webhook({ url: 'https://host:1/path' }), []],
    [
      'CNV-013 neither URL nor service',
      webhook({}),
      [`${client}: Required value: exactly one of url or service is required`],
    ],
    [
      'CNV-009 no webhook',
      crdOf({ conversion: { strategy: 'Webhook' } }),
      [
        `${client}: Required value: required when strategy is set to Webhook`,
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    [
      'CNV-028 unknown review versions',
      webhook({ url: 'https://h' }, ['v9']),
      [
        'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'a webhook without strategy Webhook',
      crdOf({
        conversion: {
          strategy: 'None',
          webhook: { clientConfig: { url: 'https://h' }, conversionReviewVersions: ['v1'] },
        },
      }),
      [
        `${client}: Forbidden: should not be set when strategy is not set to Webhook`,
        'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
      ],
    ],
    [
      'an unknown strategy',
      crdOf({ conversion: { strategy: 'Magic' } }),
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
  ])('%s', (_name, crd, expected) => expect(errorsOf(crd)).toEqual(expected));
});

describe('an update of a CRD', () => {
  const established = (crd: object): Crd => {
    const old = made(crd);
    old.metadata.resourceVersion = '1';
    old.status.conditions = [{ type: 'Established', status: 'True' }];
    return old;
  };
  const updateErrors = (old: object, change: (crd: Crd) => void): string[] => {
    const before = established(old);
    const after = structuredClone(before);
    change(after);
    return finish(validateCrdUpdate(internalCrd(after), internalCrd(before))).map(fieldErrorText);
  };
  it('keeps group, plural, scope and kind', () => {
    const errors = updateErrors(crdOf(), ({ spec }) => {
      spec.scope = 'Cluster';
      spec.names.kind = 'Vessel';
      spec.names.plural = 'vessels';
      spec.group = 'x.example.com';
    });
    expect(errors).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Vessel": field is immutable',
      'spec.group: Invalid value: "x.example.com": field is immutable',
      'spec.names.plural: Invalid value: "vessels": field is immutable',
    ]);
  });
  it('VER-028 G09 keeps versions that objects are stored in', () => {
    const errors = updateErrors(crdOf({}, { name: 'v1beta1' }), (crd) => {
      crd.spec.versions = [versionOf({ name: 'v1' })];
      crd.status.storedVersions = ['v1beta1', 'v1'];
    });
    expect(errors).toEqual([
      'status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions; v1beta1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1beta1 and removes v1beta1 from status.storedVersions',
    ]);
  });
  it('accepts errors that the stored CRD already has', () => {
    const nonStructural = crdOf({}, { schema: withProperties({ a: {} }) });
    expect(updateErrors(nonStructural, ({ spec }) => void (spec.names.shortNames = ['w']))).toEqual([
      // Pruning needs a structural schema all the same.
      `${top}.properties[a].type: Required value: must not be empty for specified object fields`,
    ]);
    const noKey = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' } } },
    };
    expect(
      updateErrors(
        crdOf({}, { schema: withProperties({ x: noKey }) }),
        ({ spec }) => void (spec.names.shortNames = ['w']),
      ),
    ).toEqual([]);
  });

  it('takes linear time for rules with field paths', () => {
    const rules = Array.from({ length: 20_000 }, () => ({ rule: 'self.a', fieldPath: '.a' }));
    const schema = { properties: { a: { type: 'boolean' } }, 'x-kubernetes-validations': rules };
    for (const type of ['object', '']) {
      expect(finish(ruleFormErrors({ type, ...schema }, FieldPath.root))).toEqual([]);
    }
  });
});
