import type { Auditor } from '../auditor.ts';
import type { Step } from '../step.ts';

/** Writes audit events of what the policy names; without one it does nothing. */
export const recordAudit = (auditor: Auditor | undefined): Step => ({
  name: 'recordAudit',
  run: (request, next) => (auditor === undefined ? next(request) : auditor.run(request, next)),
});
