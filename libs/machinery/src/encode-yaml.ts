import { stringify } from 'yaml';

/** Encodes a JSON value as YAML the way sigs.k8s.io/yaml does: keys sorted, block style, long lines kept. */
export const encodeYaml = (value: unknown): string =>
  stringify(value, { sortMapEntries: true, lineWidth: 0, version: '1.1', aliasDuplicateObjects: false });
