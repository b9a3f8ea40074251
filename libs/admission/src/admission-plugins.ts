import type { Authorizer } from '@annex/auth';
import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';
import type { AdmissionPlugin, ServerDeps } from '@annex/server';
import { storedHost } from './stored-host.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
} from './plugins/certificate-requests.ts';
import { alwaysPullImages } from './plugins/always-pull-images.ts';
import { claimResize } from './plugins/claim-resize.ts';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-classes.ts';
import { defaultTolerationSeconds } from './plugins/default-tolerations.ts';
import { type TolerationConfig, tolerationSeconds } from './toleration-options.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { ownerReferencesPermission } from './plugins/owner-references.ts';
import { podTopologyLabels } from './plugins/pod-topology-labels.ts';
import { priorityAdmission } from './plugins/priority.ts';
import { runtimeClassAdmission } from './plugins/runtime-class.ts';
import { storageObjectInUseProtection } from './plugins/storage-protection.ts';
import { taintNodesByCondition } from './plugins/taint-nodes.ts';
import type { PluginConfigurations } from './admission-configuration.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { mutatingPolicies } from './policies/mutating-policies.ts';
import { validatingPolicies } from './policies/validating-policies.ts';
import { resourceQuotaAdmission } from './quota/quota-admission.ts';
import { serviceAccountAdmission } from './service-account/service-account.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

type CreatePlugin = (
  deps: ServerDeps,
  authorizer: Authorizer,
  configurations: PluginConfigurations,
) => AdmissionPlugin;

/**
 * The built-in admission plugins in their order of execution. The quota plugin is last, so that it charges
 * only writes that all others admit.
 */
const builtin: Readonly<Record<string, CreatePlugin>> = {
  NamespaceLifecycle: namespaceLifecycle,
  LimitRanger: limitRanger,
  ServiceAccount: serviceAccountAdmission,
  TaintNodesByCondition: () => taintNodesByCondition,
  AlwaysPullImages: alwaysPullImages,
  PodSecurity: (deps, _, configurations) => podSecurity(deps, configurations.PodSecurity),
  Priority: priorityAdmission,
  DefaultTolerationSeconds: (_deps, _authorizer, { DefaultTolerationSeconds: seconds }) =>
    defaultTolerationSeconds(seconds),
  DefaultStorageClass: defaultStorageClass,
  StorageObjectInUseProtection: () => storageObjectInUseProtection,
  OwnerReferencesPermissionEnforcement: ownerReferencesPermission,
  PersistentVolumeClaimResize: claimResize,
  RuntimeClass: runtimeClassAdmission,
  CertificateApproval: certificateApproval,
  CertificateSigning: certificateSigning,
  CertificateSubjectRestriction: certificateSubjectRestriction,
  DefaultIngressClass: defaultIngressClass,
  PodTopologyLabels: podTopologyLabels,
  MutatingAdmissionPolicy: (deps, authorizer) => mutatingPolicies(storedHost(deps), authorizer),
  MutatingAdmissionWebhook: (deps, authorizer, configurations) =>
    mutatingWebhooks(storedHost(deps), authorizer, configurations.MutatingAdmissionWebhook),
  ValidatingAdmissionPolicy: (deps, authorizer) => validatingPolicies(storedHost(deps), authorizer),
  ValidatingAdmissionWebhook: (deps, authorizer, configurations) =>
    validatingWebhooks(storedHost(deps), authorizer, configurations.ValidatingAdmissionWebhook),
  ResourceQuota: resourceQuotaAdmission,
};

/**
 * Disabled by default: without a controller that creates service accounts, no Pod could be created. kube-apiserver disables the others as
 * well.
 */
const offByDefault = new Set(['ServiceAccount', 'AlwaysPullImages', 'OwnerReferencesPermissionEnforcement']);

/**
 * Plugins of kube-apiserver that Annex does not implement. They can be disabled, as manifests do, but not
 * enabled.
 */
const unimplemented = new Set([
  'AlwaysAdmit',
  'AlwaysDeny',
  'ClusterTrustBundleAttest',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'JobValidation',
  'LimitPodHardAntiAffinityTopology',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NodeDeclaredFeatureValidator',
  'NodeRestriction',
  'PodGroupProtection',
  'PodGroupWorkloadExists',
  'PodNodeSelector',
  'PodResizeValidator',
  'PodTolerationRestriction',
]);

/** Selects and configures the admission plugins. */
export interface AdmissionConfig {
  enableAdmissionPlugins: readonly string[];
  disableAdmissionPlugins: readonly string[];
  admissionControlConfigFile: string | undefined;
}

/** The options of admission, with kube-apiserver's names. */
export const admissionOptions: OptionsTable<AdmissionConfig> = optionGroup('Admission', {
  enableAdmissionPlugins: {
    flag: 'enable-admission-plugins',
    type: 'list',
    default: [],
    help: 'Admission plugins to enable in addition to the defaults: ServiceAccount, AlwaysPullImages, OwnerReferencesPermissionEnforcement.',
  },
  disableAdmissionPlugins: {
    flag: 'disable-admission-plugins',
    type: 'list',
    default: [],
    help: 'Admission plugins to disable.',
  },
  admissionControlConfigFile: {
    flag: 'admission-control-config-file',
    type: 'path',
    help: 'An apiserver.config.k8s.io/v1 AdmissionConfiguration: the defaults of PodSecurity, and the credentials for webhooks.',
  },
});

/** Returns the conflicts of the admission options, with kube-apiserver's messages if it has them. */
export const admissionConflicts: ConflictCheck<AdmissionConfig> = (config) =>
  choiceConflicts(
    config,
    (name) => Object.hasOwn(builtin, name),
    (name) => unimplemented.has(name),
  );

/** Returns the conflicts for a server with other plugins. */
export function choiceConflicts(
  { enableAdmissionPlugins: enabled, disableAdmissionPlugins: disabled }: Choice,
  isKnown: (name: string) => boolean,
  isMissing: (name: string) => boolean = () => false,
): string[] {
  const isUnknown = (name: string) => !isKnown(name) && !isMissing(name);
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  return [
    ...enabled.filter(isUnknown).map((name) => `enable-admission-plugins plugin "${name}" is unknown`),
    ...enabled
      .filter(isMissing)
      .map((name) => `enable-admission-plugins plugin "${name}" is not part of this server`),
    ...disabled.filter(isUnknown).map((name) => `disable-admission-plugins plugin "${name}" is unknown`),
    ...(both.length > 0
      ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
      : []),
  ];
}

type Choice = Pick<AdmissionConfig, 'enableAdmissionPlugins' | 'disableAdmissionPlugins'>;

const all: Choice = { enableAdmissionPlugins: [], disableAdmissionPlugins: [] };

/** Returns a predicate: whether a plugin is enabled. */
export const isOn =
  ({ enableAdmissionPlugins: enabled, disableAdmissionPlugins: disabled }: Choice) =>
  (name: string): boolean =>
    offByDefault.has(name) ? enabled.includes(name) : !disabled.includes(name);

/** Returns the enabled admission plugins in their order of execution. */
export const admissionPlugins = (
  deps: ServerDeps,
  authorizer: Authorizer,
  choice: Choice = all,
  configurations: PluginConfigurations = {},
): AdmissionPlugin[] =>
  Object.entries(builtin)
    .filter(([name]) => isOn(choice)(name))
    .map(([, create]) => create(deps, authorizer, configurations));

/**
 * Creates the admission plugins of a process with their configuration file. Throws OperatorError
 * FILE_UNREADABLE.
 */
export const openAdmission = async (
  deps: ServerDeps,
  authorizer: Authorizer,
  config: AdmissionConfig & Partial<TolerationConfig>,
): Promise<AdmissionPlugin[]> =>
  admissionPlugins(deps, authorizer, config, {
    ...(await openConfigurations(config)),
    DefaultTolerationSeconds: tolerationSeconds(config),
  });

/** Reads the configurations of the enabled plugins. Throws OperatorError FILE_UNREADABLE. */
export async function openConfigurations(
  config: Choice & Pick<AdmissionConfig, 'admissionControlConfigFile'>,
): Promise<PluginConfigurations> {
  const { admissionControlConfigFile: file } = config;
  if (file === undefined) return {};
  const { readPluginConfigurations } = await import('./admission-configuration.ts');
  return await readPluginConfigurations(file, isOn(config));
}
