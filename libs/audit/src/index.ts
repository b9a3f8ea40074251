export type { AuditSink } from './audit-event.ts';
export { type AuditConfig, auditConflicts, auditOptions } from './audit-options.ts';
export { type AuditPolicy, parseAuditPolicy } from './audit-policy.ts';
export { type AuditThreads, type OpenAudit, openConfiguredAudit } from './configured-audit.ts';
export { RequestAudit } from './request-audit.ts';
