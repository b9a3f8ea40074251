import { internalError } from '@annex/machinery';
import type { AdmissionRequest } from '../admission.ts';
import { matchedKind } from '../admission/rules.ts';
import { type FindNamespace, namespaceMatches, objectMatches } from '../admission/selectors.ts';
import type { ResourceKind } from '../resource-kind.ts';
import type { Webhook } from './webhook.ts';

/** A webhook that is to be called, and the kind in whose version it sees the objects. */
export interface Invocation {
  webhook: Webhook;
  kind: ResourceKind;
}

const configurations = new Set([
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** What configures admission is never subject to it: a mistake there could not be mended. */
export const isExempt = ({ kind }: Pick<AdmissionRequest, 'kind'>): boolean =>
  kind.group === 'admissionregistration.k8s.io' && configurations.has(kind.resource);

/**
 * Whether a webhook is to be called for a request. Throws where that cannot be known for a webhook whose rules match;
 * webhooks of other rules are not concerned.
 */
export async function invocationOf(
  webhook: Webhook,
  request: AdmissionRequest,
  find: FindNamespace,
): Promise<Invocation | undefined> {
  if (!objectMatches(webhook.objectSelector, request)) return undefined;
  const kind = matchedKind(webhook.spec, request, request.equivalents);
  if (kind === undefined) return undefined;
  if (!(await namespaceMatches(webhook.namespaceSelector, request, find))) return undefined;
  if ((webhook.spec.matchConditions ?? []).length > 0) {
    throw internalError(
      `match conditions of webhook ${JSON.stringify(webhook.spec.name)} are not evaluated by this server yet`,
    );
  }
  return { webhook, kind };
}
