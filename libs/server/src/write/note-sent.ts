import { copyInPasses, deepCopy, finishInSlices, type KubeObject, type Passes } from '@annex/machinery';
import { asJson } from '@annex/kinds';
import type { ObjectSchema } from '@annex/schema';
import { pause } from '../large-objects.ts';
import type { WriteContext } from './context.ts';
import { isLargeWrite } from './large-write.ts';

/** Records the object that was sent, with the defaults that decoding sets, in the audit event. Returns a promise for a large object only. */
export function noteSent(write: WriteContext, object: KubeObject): void | Promise<void> {
  const { audit } = write.request;
  const { schema } = write.endpoint;
  if (audit === undefined) return undefined;
  if (isLargeWrite(write))
    return finishInSlices(
      audit.sentInPasses(object, () => withDefaults(object, schema)),
      pause,
    );
  return audit.sent(object, () => {
    const copy = deepCopy(object);
    schema.applyDefaults(asJson(copy));
    return copy;
  });
}

function* withDefaults(object: KubeObject, schema: ObjectSchema): Passes<KubeObject> {
  const copy = yield* copyInPasses(object);
  yield;
  const defaults = schema.defaultsInPasses?.(asJson(copy));
  if (defaults === undefined) schema.applyDefaults(asJson(copy));
  else yield* defaults;
  yield;
  return copy;
}
