/** The name of a kind's component: the group backwards, the version, the kind. */
export const componentName = (group: string, version: string, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;
