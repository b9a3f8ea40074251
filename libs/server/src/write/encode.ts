import { negotiate } from '../encoding/negotiation.ts';
import { sendObject } from '../encoding/send-object.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Answers with what was stored, seen through the endpoint it was written to. The last step. */
export const encode: Step<WriteContext> = {
  name: 'encode',
  async run(ctx) {
    const { request, subresource, kind } = ctx;
    const shown = subresource?.spec.read ? await subresource.spec.read(ctx.result, request) : ctx.result;
    const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
    await sendObject(request, ctx.code, kind, shown, as);
  },
};
