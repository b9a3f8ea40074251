import { asJson } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Fills absent fields with the defaults of the schema. What is defaulted belongs to the one who writes it first. */
export const applyDefaults: Step<WriteContext> = {
  name: 'applyDefaults',
  run(write, next) {
    write.endpoint.schema.applyDefaults(asJson(write.object));
    return next(write);
  },
};
