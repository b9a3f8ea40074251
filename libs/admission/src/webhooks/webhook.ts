import {
  compileLabelSelector,
  type LabelSelector,
  type LabelSelectorObject,
  type Passes,
} from '@annex/machinery';
import { admissionEnvironment } from '@annex/cel';
import { type CompiledRules, compileRules, type Rule } from '../rules.ts';
import { compileConditions, type Named } from '../policies/policy.ts';
import type { NamedExpression } from '../policies/policy-spec.ts';
import type { WebhookClientConfig } from './webhook-client.ts';

/** A webhook of a Mutating- or ValidatingWebhookConfiguration, defaulted and validated. */
export interface WebhookSpec {
  name: string;
  rules?: readonly Rule[] | null;
  matchPolicy?: string;
  clientConfig: WebhookClientConfig;
  failurePolicy?: 'Ignore' | 'Fail';
  namespaceSelector?: LabelSelectorObject | null;
  objectSelector?: LabelSelectorObject | null;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: readonly string[] | null;
  reinvocationPolicy?: 'Never' | 'IfNeeded';
  matchConditions?: readonly NamedExpression[] | null;
}

/** A compiled webhook. */
export interface Webhook {
  /** Unique among all webhooks, even if a configuration has two of one name. */
  uid: string;
  configuration: string;
  spec: WebhookSpec;
  rules: CompiledRules;
  namespaceSelector: LabelSelector;
  objectSelector: LabelSelector;
  conditions: readonly Named[];
}

const environment = admissionEnvironment({ params: false, authorizer: true });

/** Compiles the webhooks of one configuration, in order, in passes of a webhook, an expression or some rules. */
export function* compileWebhooks(configuration: string, specs: readonly WebhookSpec[]): Passes<Webhook[]> {
  const seen = new Map<string, number>();
  const webhooks: Webhook[] = [];
  for (const spec of specs) {
    const times = seen.get(spec.name) ?? 0;
    seen.set(spec.name, times + 1);
    webhooks.push({
      uid: `${configuration}/${spec.name}/${times}`,
      configuration,
      spec,
      rules: yield* compileRules(spec.rules),
      namespaceSelector: compileLabelSelector(spec.namespaceSelector ?? {}),
      objectSelector: compileLabelSelector(spec.objectSelector ?? {}),
      conditions: yield* compileConditions(environment, spec.matchConditions),
    });
    yield;
  }
  return webhooks;
}
