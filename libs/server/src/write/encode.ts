import { isLargeWrite } from './large-write.ts';
import { negotiate } from '../encoding/negotiation.ts';
import { sendLargeObject, sendObject } from '../encoding/send-object.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Sends the stored object in the form of the endpoint. The last step. */
export const encode: Step<WriteContext> = {
  name: 'encode',
  async run(write) {
    const { request, subresource, kind } = write;
    const spec = subresource?.spec;
    const read = spec?.read ? await spec.read(write.result, request) : write.result;
    const shown = spec?.asShown?.(read) ?? read;
    const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
    await (isLargeWrite(write) ? sendLargeObject : sendObject)(request, write.code, kind, shown, as);
  },
};
