import { type FieldError, FieldPath, fieldErrors, parseRequestUrl } from '@annex/machinery';
import type { Crd } from './crd.ts';
import type { InternalCrd } from './internal-form.ts';

export const approvalAnnotation = 'api-approved.kubernetes.io';

export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid';

/** Groups of the Kubernetes community: their CRDs need an annotation that says who approved them. */
export const isProtectedGroup = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

/** What the annotation of a CRD says, and the words for it. */
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

// A scheme and a host are all that is asked of the URL.
function isUrlOfHost(text: string): boolean {
  try {
    const { scheme, host } = parseRequestUrl(text);
    return scheme !== '' && host !== '';
  } catch {
    return false;
  }
}

/** The error of a CRD whose approval is missing or invalid, where this write made it so. */
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
