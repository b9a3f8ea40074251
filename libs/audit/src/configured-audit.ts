import type { AuditConfig } from './audit-options.ts';
import type { AuditDeps, OpenAudit } from './open-audit.ts';

export type { OpenAudit } from './open-audit.ts';

/** Opens the audit of a process, whose code is loaded only where a policy is named. Throws OperatorError. */
export async function openConfiguredAudit(
  config: AuditConfig,
  deps: AuditDeps,
): Promise<OpenAudit | undefined> {
  if (config.auditPolicyFile === undefined) return undefined;
  const { openAudit } = await import('./open-audit.ts');
  return await openAudit(config, deps);
}
