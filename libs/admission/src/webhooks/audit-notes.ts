import {
  escapedJson,
  escapedJsonInPasses,
  finishInSlices,
  type JsonObject,
  type Passes,
} from '@annex/machinery';
import { type AdmissionAttributes, pause } from '@annex/server';
import type { Invocation } from './invocation.ts';
import type { PatchOperations } from './patch.ts';

/** The outcome of a mutating webhook. */
export interface Outcome {
  mutated: boolean;
  /** Absent without a patch. */
  patch?: PatchOperations;
}

/** Annotates the audit event with the outcome of a mutating webhook; `index` is its position among all. */
export async function noteMutation(
  attributes: AdmissionAttributes,
  { webhook }: Invocation,
  index: number,
  { mutated, patch }: Outcome,
): Promise<void> {
  const { audit } = attributes.request;
  if (audit === undefined) return;
  const place = placeOf(attributes, index);
  const about = { configuration: webhook.configuration, webhook: webhook.spec.name };
  audit.annotate(`mutation.webhook.admission.k8s.io/${place}`, escapedJson({ ...about, mutated }));
  if (patch !== undefined && audit.includesLevel('Request')) {
    const note = await finishInSlices(patchNote(about, patch), pause);
    audit.annotate(`patch.webhook.admission.k8s.io/${place}`, note);
  }
}

/** Annotates the audit event with a webhook that failed and was ignored. */
export function noteFailedOpen(
  attributes: AdmissionAttributes,
  { webhook }: Invocation,
  type: 'mutation' | 'validating',
  index: number,
): void {
  const key = `failed-open.${type}.webhook.admission.k8s.io/${placeOf(attributes, index)}`;
  attributes.request.audit?.annotate(key, webhook.spec.name);
}

/** Returns the annotation with a patch, whose operations may be many or large. */
function* patchNote(about: JsonObject, operations: PatchOperations): Passes<string> {
  const patch: (JsonObject | null)[] = [];
  for (const operation of operations) {
    patch.push(sorted(operation));
    yield;
  }
  return yield* escapedJsonInPasses({ ...about, patch, patchType: 'JSONPatch' });
}

// In kube-apiserver, operations are maps, which are encoded with sorted members; their values keep their
// order.
const sorted = (operation: JsonObject | null): JsonObject | null =>
  operation && Object.fromEntries(Object.entries(operation).sort(([a], [b]) => (a < b ? -1 : 1)));

const placeOf = ({ reinvocation }: AdmissionAttributes, index: number): string =>
  `round_${reinvocation.again ? 1 : 0}_index_${index}`;
