import { type FieldError, FieldPath, fieldErrors, parseRequestUrl } from '@annex/machinery';
import type { Crd } from './crd.ts';
import type { InternalCrd } from './internal-form.ts';

export const approvalAnnotation = 'api-approved.kubernetes.io';

export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid';

/** True for groups of the Kubernetes community: their CRDs need an annotation with the approval. */
export const isProtectedGroup = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

/** Returns the approval state of a CRD, and kube's message for it. */
export function approvalOf(crd: Pick<Crd, 'metadata'>): { state: ApprovalState; reason: string } {
  const value = crd.metadata.annotations?.[approvalAnnotation] ?? '';
  const required = `protected groups must have approval annotation "${approvalAnnotation}"`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (value === '') return { state: 'missing', reason: `${required}, ${see}` };
  if (value.startsWith('unapproved'))
    return { state: 'bypassed', reason: `not approved: ${JSON.stringify(value)}` };
  if (isUrlOfHost(value)) return { state: 'approved', reason: `approved in ${value}` };
  return {
    state: 'invalid',
    reason: `${required} with either a URL or a reason starting with "unapproved", ${see}`,
  };
}

// The URL must have a scheme and a host only.
function isUrlOfHost(text: string): boolean {
  try {
    const { scheme, host } = parseRequestUrl(text);
    return scheme !== '' && host !== '';
  } catch {
    return false;
  }
}

/** Returns the error of a CRD whose approval is missing or invalid, if this write caused it. */
export function validateApproval(crd: InternalCrd, old: InternalCrd | undefined): FieldError[] {
  if (!isProtectedGroup(crd.spec.group)) return [];
  const { state, reason } = approvalOf(crd);
  if (old !== undefined && approvalOf(old).state === state) return [];
  const path = FieldPath.of('metadata', 'annotations').key(approvalAnnotation);
  if (state === 'missing') return [fieldErrors.required(path, reason)];
  if (state === 'invalid') {
    return [fieldErrors.invalid(path, crd.metadata.annotations?.[approvalAnnotation], reason)];
  }
  return [];
}
