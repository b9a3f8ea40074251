import { randomUUID } from 'node:crypto';
import type { Step } from '../step.ts';

const acceptable = /^[A-Za-z0-9._:-]{1,64}$/;

/** Takes the client's `Audit-ID` where it is short and printable, else makes one. */
export const assignAuditId: Step = {
  name: 'assignAuditId',
  run(ctx, next) {
    const sent = ctx.req.headers['audit-id'];
    ctx.trace.auditId = ctx.auditId = typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
    return next(ctx);
  },
};
