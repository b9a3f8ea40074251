import { finish } from '@annex/machinery';
import { expect, it } from 'vitest';
import type { ValidatingPolicySpec } from './policy-spec.ts';
import { compileValidatingPolicy, evaluatePolicy, maxPolicyAnnotationBytes } from './validating-policy.ts';

it('an audit annotation of more than maxPolicyAnnotationBytes is cut', () => {
  const annotationOf = (length: number) => {
    const auditAnnotations = [{ key: 'k', valueExpression: `'${'a'.repeat(length)}'` }];
    const policy = finish(
      compileValidatingPolicy({ validations: [], auditAnnotations } as unknown as ValidatingPolicySpec),
    );
    return finish(evaluatePolicy(policy, {})).annotations[0]?.value.length;
  };
  expect(annotationOf(maxPolicyAnnotationBytes)).toBe(10 * 1024);
  expect(annotationOf(maxPolicyAnnotationBytes + 1)).toBe(10 * 1024);
});
