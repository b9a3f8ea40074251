import type { Authorizer } from '@annex/auth';
import type { AdmissionHost } from './host.ts';
import type { AdmissionPlugin } from '@annex/server';
import type { PluginConfigurations } from './admission-configuration.ts';
import { type AdmissionConfig, isOn, openConfigurations } from './admission-plugins.ts';
import { namespaceAdmission } from './plugins/namespace-lifecycle.ts';
import { mutatingPolicies } from './policies/mutating-policies.ts';
import { validatingPolicies } from './policies/validating-policies.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

type CreatePlugin = (
  host: AdmissionHost,
  authorizer: Authorizer,
  configurations: PluginConfigurations,
) => AdmissionPlugin;

/** The admission plugins of an extension API server, in their order of execution. */
const generic = {
  NamespaceLifecycle: ({ findNamespace }) => namespaceAdmission(findNamespace, ['CREATE', 'UPDATE']),
  MutatingAdmissionPolicy: mutatingPolicies,
  MutatingAdmissionWebhook: (host, authorizer, configurations) =>
    mutatingWebhooks(host, authorizer, configurations.MutatingAdmissionWebhook),
  ValidatingAdmissionPolicy: validatingPolicies,
  ValidatingAdmissionWebhook: (host, authorizer, configurations) =>
    validatingWebhooks(host, authorizer, configurations.ValidatingAdmissionWebhook),
} as const satisfies Readonly<Record<string, CreatePlugin>>;

/** The name of an admission plugin that every API server has. */
export type GenericPlugin = keyof typeof generic;

export const genericPlugins = Object.keys(generic) as readonly GenericPlugin[];

/** Creates the enabled generic plugins, by name. Throws OperatorError FILE_UNREADABLE. */
export async function openGenericAdmission(
  host: AdmissionHost,
  authorizer: Authorizer,
  config: AdmissionConfig,
): Promise<Map<GenericPlugin, AdmissionPlugin>> {
  const configurations = await openConfigurations(config);
  const on = genericPlugins.filter(isOn(config));
  return new Map(on.map((name) => [name, generic[name](host, authorizer, configurations)]));
}
