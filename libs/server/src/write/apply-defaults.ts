import { asJson } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Sets absent fields to the defaults of the schema. The first writer owns the defaulted fields. */
export const applyDefaults: Step<WriteContext> = {
  name: 'applyDefaults',
  run(write, next) {
    write.endpoint.schema.applyDefaults(asJson(write.object));
    return next(write);
  },
};
