import { deepEqual, parseJson } from '@annex/machinery';
import type { Authorizer } from '@annex/auth';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/plugin.ts';
import { ReinvocationRound } from '../admission/reinvocation.ts';
import { convertKind, versioned } from '../admission/versioned.ts';
import type { ServerDeps } from '../app.ts';
import { noteFailedOpen, noteMutation } from './audit-notes.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { Invocation } from './invocation.ts';
import { patchedBy } from './patch.ts';

const name = 'MutatingAdmissionWebhook';

/**
 * kube's MutatingAdmissionWebhook plugin: asks one webhook after the other, each with what those before it made of
 * the object, and those with `reinvocationPolicy: IfNeeded` once more where others changed it after them.
 * Source: "Dynamic Admission Control".
 */
export function mutatingWebhooks(deps: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  const caller = new WebhookCaller(deps, 'mutatingwebhookconfigurations', authorizer);
  return {
    name,
    mutate: (request) => (caller.isIdle ? undefined : mutate(caller, request)),
  };
}

async function mutate(caller: WebhookCaller, request: AdmissionRequest): Promise<void> {
  const webhooks = await caller.webhooks(request);
  if (webhooks.length === 0) return;
  const round = ReinvocationRound.of(name, request);
  round.begin(request);
  for (const [index, webhook] of webhooks.entries()) {
    if (!round.calls(webhook.uid, request)) continue;
    const invocation = await caller.invocation(webhook, request);
    if (invocation === undefined) continue;
    const changed = await mutateOnce(caller, invocation, request, index);
    round.called(webhook.uid, request, changed, webhook.spec.reinvocationPolicy);
  }
  round.end(request);
}

/** Asks one webhook; true where it changed the object. */
async function mutateOnce(
  caller: WebhookCaller,
  invocation: Invocation,
  request: AdmissionRequest,
  index: number,
): Promise<boolean> {
  const objects = await versioned(request, invocation.kind);
  const outcome: { mutated: boolean; patch?: unknown } = { mutated: false };
  try {
    const answer = await caller.ask(invocation, request, objects);
    if (answer === undefined) noteFailedOpen(request, invocation, 'mutation', index);
    if (answer?.patch === undefined) return false;
    const patched = patchedBy(answer.patch, invocation, request, objects.object);
    if (patched === undefined) return false;
    outcome.patch = parseJson(answer.patch);
    if (deepEqual(patched, objects.object)) return false;
    outcome.mutated = true;
    request.object = await convertKind(patched, invocation.kind, request.kind);
    return true;
  } finally {
    noteMutation(request, invocation, index, outcome);
  }
}
