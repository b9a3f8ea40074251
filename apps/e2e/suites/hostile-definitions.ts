import { definitionManifest } from '@annex/testkit';
import { hostileNames, membersOf } from './hostile-names.ts';

/** The group of the custom resources. */
export const group = 'names.example.com';

/** Escapes a name for CEL. */
export const celName = (name: string) => name.replaceAll('__', '__underscores__');

/** The selectable fields; a kind has at most eight. */
export const selectable: readonly string[] = hostileNames.slice(0, 8);

/** The schema of a spec with properties of the hostile names. */
export const strict = {
  'x-kubernetes-validations': hostileNames.map((name) => ({
    rule: `!has(self.${celName(name)}) || self.${celName(name)} != 'refused by a rule'`,
  })),
  properties: {
    ...membersOf(hostileNames, { type: 'string' }),
    defaulted: {
      type: 'object',
      default: {},
      properties: membersOf(hostileNames, { type: 'string', default: 'by default' }),
    },
    numbers: {
      type: 'object',
      additionalProperties: { type: 'integer' },
      'x-kubernetes-validations': hostileNames.map((name) => ({
        rule: `!('${name}' in self) || self['${name}'] < 100`,
      })),
    },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': hostileNames,
      items: {
        type: 'object',
        required: hostileNames,
        properties: membersOf(hostileNames, { type: 'string' }),
      },
    },
  },
};

/** Returns a CustomResourceDefinition with a schema for `spec`, and columns with the hostile names. */
export const definition = (plural: string, kind: string, spec: object) =>
  definitionManifest({
    group,
    plural,
    kind,
    schema: { properties: { spec: { type: 'object', ...spec } } },
    version: {
      additionalPrinterColumns: hostileNames.map((name) => ({
        name,
        type: 'string',
        jsonPath: `.spec.${name}`,
      })),
      ...(plural === 'strictly' && {
        selectableFields: selectable.map((name) => ({ jsonPath: `.spec.${name}` })),
      }),
    },
  });
