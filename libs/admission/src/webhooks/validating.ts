import type { Authorizer } from '@annex/auth';
import type { AdmissionHost } from '../host.ts';
import { type AdmissionPlugin, type AdmissionAttributes, versioned } from '@annex/server';
import { noteFailedOpen } from './audit-notes.ts';
import type { CredentialsFor } from './credentials.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { Invocation } from './invocation.ts';

/**
 * kube-apiserver's ValidatingAdmissionWebhook plugin: calls all matching webhooks concurrently; the first
 * denial is returned. Source: "Dynamic Admission Control".
 */
export function validatingWebhooks(
  host: AdmissionHost,
  authorizer: Authorizer,
  credentials?: CredentialsFor,
): AdmissionPlugin {
  const caller = new WebhookCaller(host, 'validatingwebhookconfigurations', authorizer, credentials);
  return {
    name: 'ValidatingAdmissionWebhook',
    validate: (attributes) => (caller.isIdle ? undefined : validate(caller, attributes)),
  };
}

async function validate(caller: WebhookCaller, attributes: AdmissionAttributes): Promise<void> {
  const invocations: Invocation[] = [];
  for (const webhook of await caller.webhooks(attributes)) {
    const invocation = await caller.invocation(webhook, attributes);
    if (invocation !== undefined) invocations.push(invocation);
  }
  if (invocations.length === 0) return;
  // Waits for all webhooks, so that no call is aborted.
  const refusals: unknown[] = [];
  const ask = async (invocation: Invocation, index: number): Promise<void> => {
    try {
      const response = await caller.call(
        invocation,
        attributes,
        await versioned(attributes, invocation.kind),
      );
      if (response === undefined) noteFailedOpen(attributes, invocation, 'validating', index);
    } catch (error) {
      refusals.push(error);
    }
  };
  await Promise.all(invocations.map(ask));
  if (refusals.length > 0) throw refusals[0];
}
