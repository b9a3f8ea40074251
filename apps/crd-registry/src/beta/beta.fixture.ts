/** Returns a v1beta1 CRD with the versions and the schema of the documentation; a test states only the differences. */
export const betaCrd = (spec: object = {}): { metadata: { name: string }; spec: object } => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'crontabs.example.com' },
  spec: {
    group: 'example.com',
    versions: [
      { name: 'v1beta1', served: true, storage: true },
      { name: 'v1', served: true, storage: false },
    ],
    validation: schemaOf({ host: { type: 'string' }, port: { type: 'string' } }),
    conversion: { strategy: 'None' },
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
    ...spec,
  },
});

/** Returns a `validation` with these properties. */
export const schemaOf = (properties: object): object => ({ openAPIV3Schema: { type: 'object', properties } });

/** Properties with types in junctors only. */
export const nonStructural = { port: { anyOf: [{ type: 'string' }, { type: 'integer' }] } };
