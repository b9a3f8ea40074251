import { deepCopy, type KubeObject } from '@annex/machinery';
import { asJson } from '@annex/kinds';
import type { WriteContext } from './context.ts';

/** Records the object that was sent, with the defaults that decoding sets, in the audit event. */
export function noteSent(write: WriteContext, object: KubeObject): void {
  write.request.audit?.sent(object, () => {
    const copy = deepCopy(object);
    write.endpoint.schema.applyDefaults(asJson(copy));
    return copy;
  });
}
