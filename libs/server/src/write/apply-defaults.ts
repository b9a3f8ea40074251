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
    // Few fields of a custom resource can get many defaults.
    const mayBeLarge = !endpoint.typed || isLargeWrite(write);
    const passes = mayBeLarge ? schema.defaultsInPasses?.(asJson(object)) : undefined;
    if (passes === undefined) {
      schema.applyDefaults(asJson(object));
      return next(write);
    }
    write.hasGrown = true;
    return finishInSlices(passes, pause).then(() => next(write));
  },
};
