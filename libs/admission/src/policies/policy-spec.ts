import type { LabelSelectorObject } from '@annex/machinery';
import type { Rule } from '../rules.ts';

/** MatchResources of `admissionregistration.k8s.io/v1`. */
export interface MatchResources {
  namespaceSelector?: LabelSelectorObject | null;
  objectSelector?: LabelSelectorObject | null;
  resourceRules?: readonly Rule[] | null;
  excludeResourceRules?: readonly Rule[] | null;
  matchPolicy?: string;
}

export interface NamedExpression {
  name: string;
  expression: string;
}

/** The kind of the parameters of a policy. */
export interface ParamKind {
  apiVersion: string;
  kind: string;
}

/** What validating and mutating policies have in common. */
export interface PolicySpec {
  paramKind?: ParamKind | null;
  matchConstraints?: MatchResources | null;
  matchConditions?: readonly NamedExpression[] | null;
  variables?: readonly NamedExpression[] | null;
  failurePolicy?: 'Fail' | 'Ignore';
}

/** The spec of a ValidatingAdmissionPolicy, defaulted and validated. */
export interface ValidatingPolicySpec extends PolicySpec {
  validations?: readonly Validation[] | null;
  auditAnnotations?: readonly { key: string; valueExpression: string }[] | null;
}

export interface Validation {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

/** The spec of a MutatingAdmissionPolicy, defaulted and validated. */
export interface MutatingPolicySpec extends PolicySpec {
  mutations?: readonly Mutation[] | null;
  reinvocationPolicy?: string;
}

export interface Mutation {
  patchType: 'ApplyConfiguration' | 'JSONPatch';
  applyConfiguration?: { expression?: string };
  jsonPatch?: { expression?: string };
}

/** The spec of a binding of either kind of policy. */
export interface BindingSpec {
  policyName: string;
  paramRef?: ParamRef | null;
  matchResources?: MatchResources | null;
  /** Of validating policies only. */
  validationActions?: readonly string[] | null;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelectorObject | null;
  parameterNotFoundAction?: 'Allow' | 'Deny';
}
