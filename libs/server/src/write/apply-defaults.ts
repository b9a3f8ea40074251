import { pause } from '../large-objects.ts';
import { asJson } from '@annex/kinds';
import { finishInSlices } from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { isLargeWrite } from './large-write.ts';

/** Sets absent fields to the defaults of the schema. The first writer owns the defaulted fields. */
export const applyDefaults: Step<WriteContext> = {
  name: 'applyDefaults',
  run(write, next) {
    const { endpoint, object } = write;
    const { schema } = endpoint;
    if (write.unchanged) return next(write);
    if (!isLargeWrite(write) || schema.defaultsInPasses === undefined) {
      schema.applyDefaults(asJson(object));
      return next(write);
    }
    const passes = schema.defaultsInPasses(asJson(object));
    return finishInSlices(passes, pause).then(() => next(write));
  },
};
