import type { BuiltinKind } from '../../builtin-kind.ts';

export const deviceClasses: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    returnsDeleted: true,
  },
};
