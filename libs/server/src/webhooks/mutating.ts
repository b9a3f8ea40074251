import { deepCopy, deepEqual, type KubeObject } from '@annex/machinery';
import type { Authorizer } from '@annex/auth';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { convertKind, versioned } from '../admission/versioned.ts';
import type { ServerDeps } from '../app.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { Invocation } from './invocation.ts';
import { patchedBy } from './patch.ts';

const name = 'MutatingAdmissionWebhook';

/** What is remembered of the first round for the second one. */
interface Round {
  /** Webhooks that were called and want to be called again after others changed the object. */
  reinvocable: Set<string>;
  /** Those of them for which that has happened. */
  due: Set<string>;
  last: KubeObject | undefined;
}

/**
 * kube's MutatingAdmissionWebhook plugin: asks one webhook after the other, each with what those before it made of
 * the object, and those with `reinvocationPolicy: IfNeeded` once more where others changed it after them.
 * Source: "Dynamic Admission Control".
 */
export function mutatingWebhooks(deps: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  const caller = new WebhookCaller(deps, 'mutatingwebhookconfigurations', authorizer);
  return {
    name,
    async mutate(request) {
      const webhooks = await caller.webhooks(request);
      if (webhooks.length === 0) return;
      const round = roundOf(request);
      const { reinvocation } = request;
      if (reinvocation.again && !deepEqual(round.last, request.object)) makeDue(round);
      for (const webhook of webhooks) {
        if (reinvocation.again && !round.due.has(webhook.uid)) continue;
        const invocation = await caller.invocation(webhook, request);
        if (invocation === undefined) continue;
        const changed = await mutateOnce(caller, invocation, request);
        if (changed) {
          makeDue(round);
          reinvocation.wanted = true;
        }
        if (webhook.spec.reinvocationPolicy === 'IfNeeded') round.reinvocable.add(webhook.uid);
      }
      round.last = request.object && deepCopy(request.object);
    },
  };
}

function roundOf({ reinvocation }: AdmissionRequest): Round {
  const known = reinvocation.memory.get(name) as Round | undefined;
  if (known !== undefined) return known;
  const round: Round = { reinvocable: new Set(), due: new Set(), last: undefined };
  reinvocation.memory.set(name, round);
  return round;
}

function makeDue(round: Round): void {
  for (const uid of round.reinvocable) round.due.add(uid);
  round.reinvocable.clear();
}

/** Asks one webhook; true where it changed the object. */
async function mutateOnce(
  caller: WebhookCaller,
  invocation: Invocation,
  request: AdmissionRequest,
): Promise<boolean> {
  const objects = await versioned(request, invocation.kind);
  const answer = await caller.ask(invocation, request, objects);
  if (answer?.patch === undefined) return false;
  const patched = patchedBy(answer.patch, invocation, request, objects.object);
  if (patched === undefined || deepEqual(patched, objects.object)) return false;
  request.object = await convertKind(patched, invocation.kind, request.kind);
  return true;
}
