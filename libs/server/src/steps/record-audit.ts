import type { Auditor } from '../auditor.ts';
import type { Step } from '../step.ts';

/** Writes the audit events that the policy selects; does nothing without a policy. */
export const recordAudit = (auditor: Auditor | undefined): Step => ({
  name: 'recordAudit',
  run: (request, next) => (auditor === undefined ? next(request) : auditor.run(request, next)),
});
