import type { AuditConfig } from './audit-options.ts';
import type { AuditDeps, OpenAudit } from './open-audit.ts';

export type { AuditThreads, OpenAudit } from './open-audit.ts';

/** Opens the audit of a process. Loads its code only if a policy is configured. Throws OperatorError. */
export async function openConfiguredAudit(
  config: AuditConfig,
  deps: AuditDeps,
): Promise<OpenAudit | undefined> {
  if (config.auditPolicyFile === undefined) return undefined;
  const { openAudit } = await import('./open-audit.ts');
  return await openAudit(config, deps);
}
