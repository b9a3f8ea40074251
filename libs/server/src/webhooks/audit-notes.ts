import { stringifyJson } from '@annex/machinery';
import type { AdmissionRequest } from '../admission/plugin.ts';
import type { Invocation } from './invocation.ts';

/** Notes for the audit event what a mutating webhook did; `index` is its place among all. */
export function noteMutation(
  request: AdmissionRequest,
  { webhook }: Invocation,
  index: number,
  { mutated, patch }: { mutated: boolean; patch?: unknown },
): void {
  const { audit } = request.request;
  if (audit === undefined) return;
  const place = placeOf(request, index);
  const about = { configuration: webhook.configuration, webhook: webhook.spec.name };
  audit.annotate(`mutation.webhook.admission.k8s.io/${place}`, stringifyJson({ ...about, mutated }));
  if (patch !== undefined && audit.wants('Request')) {
    const note = stringifyJson({ ...about, patch, patchType: 'JSONPatch' });
    audit.annotate(`patch.webhook.admission.k8s.io/${place}`, note);
  }
}

/** Notes that a webhook failed, and that the request went on without it. */
export function noteFailedOpen(
  request: AdmissionRequest,
  { webhook }: Invocation,
  type: 'mutation' | 'validating',
  index: number,
): void {
  const key = `failed-open.${type}.webhook.admission.k8s.io/${placeOf(request, index)}`;
  request.request.audit?.annotate(key, webhook.spec.name);
}

const placeOf = ({ reinvocation }: AdmissionRequest, index: number): string =>
  `round_${reinvocation.again ? 1 : 0}_index_${index}`;
