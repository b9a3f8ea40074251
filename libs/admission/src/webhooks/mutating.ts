import { deepEqual, finishInSlices } from '@annex/machinery';
import type { Authorizer } from '@annex/auth';
import type { AdmissionHost } from '../host.ts';
import {
  type AdmissionPlugin,
  type AdmissionAttributes,
  equalInSlices,
  memoryOf,
  pause,
  versioned,
} from '@annex/server';
import { inRequestVersion } from '../mutated.ts';
import { ReinvocationRound } from '../reinvocation.ts';
import { noteFailedOpen, noteMutation, type Outcome } from './audit-notes.ts';
import { failureOf } from './call.ts';
import type { CredentialsFor } from './credentials.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { Invocation } from './invocation.ts';
import { patchedBy, readPatch } from './patch.ts';

const name = 'MutatingAdmissionWebhook';

/**
 * kube-apiserver's MutatingAdmissionWebhook plugin: calls one webhook after the other, each with the changes
 * of those before it. Webhooks with `reinvocationPolicy: IfNeeded` are called again if others change the
 * object after them. Source: "Dynamic Admission Control".
 */
export function mutatingWebhooks(
  host: AdmissionHost,
  authorizer: Authorizer,
  credentials?: CredentialsFor,
): AdmissionPlugin {
  const caller = new WebhookCaller(host, 'mutatingwebhookconfigurations', authorizer, credentials);
  return {
    name,
    mutate: (attributes) => (caller.isIdle ? undefined : mutate(caller, attributes)),
  };
}

async function mutate(caller: WebhookCaller, attributes: AdmissionAttributes): Promise<void> {
  const webhooks = await caller.webhooks(attributes);
  if (webhooks.length === 0) return;
  const round = ReinvocationRound.of(name, attributes);
  await round.begin(attributes);
  for (const [index, webhook] of webhooks.entries()) {
    const invocation = await caller.invocation(webhook, attributes);
    if (invocation === undefined || !round.calls(webhook.uid, attributes)) continue;
    const changed = await mutateOnce(caller, invocation, attributes, index);
    round.called(webhook.uid, attributes, changed, webhook.spec.reinvocationPolicy);
  }
  await round.end(attributes);
}

/** Calls one webhook and returns whether it changed the object. */
async function mutateOnce(
  caller: WebhookCaller,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  index: number,
): Promise<boolean> {
  const objects = await versioned(attributes, invocation.kind);
  const outcome: Outcome = { mutated: false };
  try {
    const response = await caller.call(invocation, attributes, objects);
    if (response?.patch === undefined) {
      if (response === undefined) noteFailedOpen(attributes, invocation, 'mutation', index);
      return false;
    }
    const patch = await finishInSlices(readPatch(response.patch, invocation), pause);
    if (patch.length === 0) return false;
    const patched = await finishInSlices(
      patchedBy(patch, response, invocation, attributes, objects.object),
      pause,
    );
    outcome.patch = patch;
    outcome.mutated = truncatesTimes(attributes) || !(await equalInSlices(patched, objects.object));
    attributes.object = await inRequestVersion(patched, invocation.kind, attributes);
    return outcome.mutated;
  } catch (error) {
    const refusal = failureOf(invocation, error);
    if (refusal !== undefined) throw refusal;
    noteFailedOpen(attributes, invocation, 'mutation', index);
    return false;
  } finally {
    await noteMutation(attributes, invocation, index, outcome);
  }
}

/**
 * Returns true for the first patch of an object of a built-in kind with managedFields of this request. Until
 * then, kube-apiserver keeps their times with fractions of a second, so that even an empty patch counts as a
 * change.
 */
function truncatesTimes(attributes: AdmissionAttributes): boolean {
  const { kind, object, oldObject, operation } = attributes;
  const cut = 'managedFields cut';
  const memory = memoryOf(attributes);
  if (!kind.behavior.typed || operation === 'CONNECT' || memory.has(cut)) return false;
  memory.set(cut, true);
  const before = oldObject?.metadata.managedFields ?? [];
  return (object?.metadata.managedFields ?? []).some(
    (entry) => !before.some((other) => deepEqual(entry, other)),
  );
}
