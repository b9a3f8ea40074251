export {
  type AdmissionConfig,
  admissionConflicts,
  admissionOptions,
  admissionPlugins,
  choiceConflicts,
  openAdmission,
} from './admission-plugins.ts';
export { type TolerationConfig, tolerationOptions } from './toleration-options.ts';
export { admissionConfigurations } from './exempt.ts';
export { type GenericPlugin, genericPlugins, openGenericAdmission } from './generic-admission.ts';
export type { AdmissionHost } from './host.ts';
export { refuse } from './plugins/refuse.ts';
export { compileExpression, isIdentifier } from './policies/expression.ts';
export { compileMutation } from './policies/mutating-policy.ts';
export { type ParamSource, unknownParamKind } from './policies/params.ts';
export type { Mutation, ParamKind, PolicySpec } from './policies/policy-spec.ts';
export { compileVariables, type PolicyVariables } from './policies/policy.ts';
export type { QuotaEvaluator } from './quota/evaluator.ts';
export { quotaEvaluator } from './quota/evaluators.ts';
export { measureUsage, type ResourceQuota } from './quota/quota-state.ts';
export { asAmounts, type ResourceList, resourceList, sameAmounts } from './quota/resource-list.ts';
export { printedType, readReviewResponse } from './webhooks/review-response.ts';
export { validateWebhookService, validateWebhookUrl, type WebhookService } from './webhooks/client-config.ts';
export { type ResolveService, WebhookClient, type WebhookClientConfig } from './webhooks/webhook-client.ts';
