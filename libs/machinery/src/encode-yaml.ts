/** Encodes a JSON value as YAML the way sigs.k8s.io/yaml does: keys sorted, block style, long lines kept. */
export async function encodeYaml(value: unknown): Promise<string> {
  // The library is loaded by those who ask for YAML.
  const { stringify } = await import('yaml');
  return stringify(value, {
    sortMapEntries: true,
    lineWidth: 0,
    version: '1.1',
    aliasDuplicateObjects: false,
  });
}
