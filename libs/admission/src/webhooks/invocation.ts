import type { Authorizer } from '@annex/auth';
import { finishSoon, forbidden } from '@annex/machinery';
import { type AdmissionAttributes, pause, versioned } from '@annex/server';
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
  const paused = pause();
  if (paused !== undefined) await paused;
  if (!objectMatches(webhook.objectSelector, attributes)) return undefined;
  const { rules, spec } = webhook;
  const matched = matchedKind(rules, spec.matchPolicy, attributes, attributes.equivalents);
  const kind = await finishSoon(matched, pause);
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
