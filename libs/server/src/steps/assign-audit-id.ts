import { randomUUID } from 'node:crypto';
import type { Step } from '../step.ts';

/** The maximum characters of an audit ID from a client. */
export const maxAuditIdLength = 64;
const printable = /^[A-Za-z0-9._:-]+$/;
const isAcceptable = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= maxAuditIdLength && printable.test(id);

/** Uses the client's `Audit-ID` if it is short and printable, else generates one. */
export const assignAuditId: Step = {
  name: 'assignAuditId',
  run(request, next) {
    const sent = request.req.headers['audit-id'];
    request.trace.auditId = request.auditId = isAcceptable(sent) ? sent : randomUUID();
    return next(request);
  },
};
