import { randomUUID } from 'node:crypto';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { limitRangeItem } from './defaults.ts';
import { validateLimitRange } from './validation.ts';

export const limitRanges: BuiltinKind = {
  group: '',
  resource: 'limitranges',
  defaults: { 'io.k8s.api.core.v1.LimitRangeItem': limitRangeItem },
  validation: { object: validateLimitRange },
  strategy: {
    allowCreateOnUpdate: true,
    // As in kube-apiserver, a LimitRange without a name gets one.
    prepareForCreate({ metadata }) {
      if (!metadata.name) metadata.name = randomUUID();
    },
    allowUnconditionalUpdate: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
};
