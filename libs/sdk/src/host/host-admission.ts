import type { Authorizer } from '@annex/auth';
import { type AdmissionConfig, type GenericPlugin, openGenericAdmission, refuse } from '@annex/admission';
import type { AdmissionPlugin, AdmissionAttributes } from '@annex/server';
import type { ExtendedServer, HostResource } from './extended-server.ts';
import type { FollowedObjects } from './followed-objects.ts';

/** What a plugin must know before it can say anything, and of which requests it says anything. */
interface Needs {
  resources: readonly HostResource[];
  concerns(attributes: AdmissionAttributes): boolean;
}

const every = () => true;

const needs: Readonly<Record<GenericPlugin, Needs>> = {
  NamespaceLifecycle: {
    resources: ['namespaces'],
    concerns: ({ operation, namespace }) =>
      namespace !== '' && (operation === 'CREATE' || operation === 'UPDATE'),
  },
  MutatingAdmissionPolicy: {
    resources: ['namespaces', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
    concerns: ({ operation }) => operation !== 'DELETE',
  },
  MutatingAdmissionWebhook: {
    resources: ['namespaces', 'mutatingwebhookconfigurations'],
    concerns: every,
  },
  ValidatingAdmissionPolicy: {
    resources: ['namespaces', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    concerns: every,
  },
  ValidatingAdmissionWebhook: {
    resources: ['namespaces', 'validatingwebhookconfigurations'],
    concerns: every,
  },
};

/**
 * The admission plugins by which an extension server obeys what is configured in the API server that it extends, as those of Go do. As
 * long as that is not known, requests wait for it, and are refused when their patience is over. Throws OperatorError FILE_UNREADABLE.
 */
export async function hostAdmission(
  host: ExtendedServer,
  authorizer: Authorizer,
  config: AdmissionConfig,
  patienceMs = 10_000,
): Promise<AdmissionPlugin[]> {
  const plugins = await openGenericAdmission(host, authorizer, config);
  return [...plugins].map(([name, plugin]) => {
    const { resources, concerns } = needs[name];
    const known = resources.map((resource) => host.follow(resource));
    return whenKnown(plugin, known, concerns, patienceMs);
  });
}

/** A plugin that refuses, after a while, as long as it does not know what it has to. */
function whenKnown(
  plugin: AdmissionPlugin,
  needed: readonly FollowedObjects[],
  concerns: Needs['concerns'],
  patienceMs: number,
): AdmissionPlugin {
  const isReady = () => needed.every(({ isKnown }) => isKnown);
  const gate = (pass: NonNullable<AdmissionPlugin['mutate']>) => (attributes: AdmissionAttributes) =>
    isReady() || !concerns(attributes) ? pass(attributes) : passLater(pass, attributes);
  const passLater = async (pass: NonNullable<AdmissionPlugin['mutate']>, attributes: AdmissionAttributes) => {
    const known = await Promise.all(needed.map((one) => one.becomesKnown(patienceMs)));
    if (known.includes(false)) throw refuse(attributes, 'not yet ready to handle request');
    await pass(attributes);
  };
  return {
    ...plugin,
    ...(plugin.mutate ? { mutate: gate(plugin.mutate.bind(plugin)) } : {}),
    ...(plugin.validate ? { validate: gate(plugin.validate.bind(plugin)) } : {}),
  };
}
