import type { TypeDefaults } from '@annex/kinds';

const group = 'io.k8s.api.admissionregistration.v1.';

/** The defaults of a webhook of either kind. */
export const webhookFields = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** The defaults inside of webhooks of both kinds. */
export const webhookPartDefaults: TypeDefaults = {
  [`${group}RuleWithOperations`]: { scope: '*' },
  [`${group}ServiceReference`]: { port: 443 },
};

/** The defaults of the resources that policies and bindings match. */
export const matchResourcesDefaults: TypeDefaults = {
  [`${group}NamedRuleWithOperations`]: { scope: '*' },
  [`${group}MatchResources`]: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
};
