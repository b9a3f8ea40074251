/** Returns the component name of a kind: the reversed group, the version, the kind. */
export const componentName = (group: string, version: string, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;
