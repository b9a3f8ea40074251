import type { Authorizer } from '@annex/auth';
import { type AdmissionConfig, type GenericPlugin, openGenericAdmission, refuse } from '@annex/admission';
import type { AdmissionPlugin, AdmissionAttributes } from '@annex/server';
import type { ExtendedServer, HostResource } from './extended-server.ts';
import type { FollowedObjects } from './followed-objects.ts';

/** The resources that a plugin requires, and the requests that it handles. */
interface Requirements {
  resources: readonly HostResource[];
  handles(attributes: AdmissionAttributes): boolean;
}

const every = () => true;

const requirements: Readonly<Record<GenericPlugin, Requirements>> = {
  NamespaceLifecycle: {
    resources: ['namespaces'],
    handles: ({ operation, namespace }) =>
      namespace !== '' && (operation === 'CREATE' || operation === 'UPDATE'),
  },
  MutatingAdmissionPolicy: {
    resources: ['namespaces', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
    handles: ({ operation }) => operation !== 'DELETE',
  },
  MutatingAdmissionWebhook: {
    resources: ['namespaces', 'mutatingwebhookconfigurations'],
    handles: every,
  },
  ValidatingAdmissionPolicy: {
    resources: ['namespaces', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    handles: every,
  },
  ValidatingAdmissionWebhook: {
    resources: ['namespaces', 'validatingwebhookconfigurations'],
    handles: every,
  },
};

/**
 * Creates the admission plugins that apply the configuration of the extended API server, as extension API
 * servers in Go do. Until that configuration is loaded, requests wait, and fail after a timeout. Throws
 * OperatorError FILE_UNREADABLE.
 */
export async function hostAdmission(
  host: ExtendedServer,
  authorizer: Authorizer,
  config: AdmissionConfig,
  timeoutMs = 10_000,
): Promise<AdmissionPlugin[]> {
  const plugins = await openGenericAdmission(host, authorizer, config);
  return [...plugins].map(([name, plugin]) => {
    const { resources, handles } = requirements[name];
    const known = resources.map((resource) => host.follow(resource));
    return whenLoaded(plugin, known, handles, timeoutMs);
  });
}

/** Wraps a plugin: requests wait until its resources are loaded, and fail after a timeout. */
function whenLoaded(
  plugin: AdmissionPlugin,
  needed: readonly FollowedObjects[],
  handles: Requirements['handles'],
  timeoutMs: number,
): AdmissionPlugin {
  const isReady = () => needed.every(({ isLoaded: isKnown }) => isKnown);
  const gate = (pass: NonNullable<AdmissionPlugin['mutate']>) => (attributes: AdmissionAttributes) =>
    isReady() || !handles(attributes) ? pass(attributes) : passLater(pass, attributes);
  const passLater = async (pass: NonNullable<AdmissionPlugin['mutate']>, attributes: AdmissionAttributes) => {
    const known = await Promise.all(needed.map((one) => one.loadsWithin(timeoutMs)));
    if (known.includes(false)) throw refuse(attributes, 'not yet ready to handle request');
    await pass(attributes);
  };
  return {
    ...plugin,
    ...(plugin.mutate ? { mutate: gate(plugin.mutate.bind(plugin)) } : {}),
    ...(plugin.validate ? { validate: gate(plugin.validate.bind(plugin)) } : {}),
  };
}
