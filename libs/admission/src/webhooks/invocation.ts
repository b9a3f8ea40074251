import type { Authorizer } from '@annex/auth';
import { forbidden } from '@annex/machinery';
import { type AdmissionAttributes, versioned } from '@annex/server';
import { matchedKind } from '../rules.ts';
import { type FindNamespace, namespaceMatches, objectMatches } from '../selectors.ts';
import { admissionActivation } from '../policies/activation.ts';
import { withChecks } from '../policies/checks.ts';
import { checkConditions } from '../policies/policy.ts';
import type { ResourceKind } from '@annex/kinds';
import type { Webhook } from './webhook.ts';

/** A call of a webhook, with the kind whose version it reads. */
export interface Invocation {
  webhook: Webhook;
  kind: ResourceKind;
}

/**
 * Returns the call of a webhook for a request, if it matches. Throws if selectors or conditions of a webhook
 * with matching rules cannot be evaluated.
 */
export async function invocationOf(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  find: FindNamespace,
  authorizer: Authorizer,
): Promise<Invocation | undefined> {
  if (!objectMatches(webhook.objectSelector, attributes)) return undefined;
  const kind = matchedKind(webhook.spec, attributes, attributes.equivalents);
  if (kind === undefined) return undefined;
  if (!(await namespaceMatches(webhook.namespaceSelector, attributes, find))) return undefined;
  if (!(await conditionsMatch(webhook, attributes, kind, authorizer))) return undefined;
  return { webhook, kind };
}

/**
 * Throws Forbidden if the conditions cannot be evaluated and the failurePolicy is Fail; with Ignore the
 * webhook is not called.
 */
async function conditionsMatch(
  { conditions, spec }: Webhook,
  attributes: AdmissionAttributes,
  kind: ResourceKind,
  authorizer: Authorizer,
): Promise<boolean> {
  if (conditions.length === 0) return true;
  const objects = await versioned(attributes, kind);
  const outcome = await withChecks(authorizer, attributes.request, (decide) =>
    checkConditions(conditions, admissionActivation(attributes, kind, objects, decide)),
  );
  if ('matches' in outcome) return outcome.matches;
  if (spec.failurePolicy === 'Ignore') return false;
  throw forbidden(attributes.kind, attributes.name, outcome.error);
}
