import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import {
  type AdvertiseConfig,
  type AggregatorConfig,
  aggregatorOptions,
  advertiseOptions,
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
  checkUrls,
  type PeerConfig,
  peerOptions,
  requestHeaderOptions,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type StandaloneConfig,
  standaloneOptions,
  urlOption,
} from '@annex/process';
import { type AdmissionConfig, admissionConflicts, admissionOptions } from '@annex/admission';

/** The configuration of the front proxy in a separate process. */
export interface FrontProxyConfig
  extends
    StandaloneConfig,
    PeerConfig,
    ServiceAccountConfig,
    AuthenticationConfig,
    AdmissionConfig,
    AdvertiseConfig,
    AggregatorConfig {
  coreApiUrl: string;
  crdRegistryUrl: string;
  authorizationUrl: string;
  discoveryUrl: string;
}

/** The options of the front proxy. Names of kube-apiserver flags have the meaning of those flags. */
export const frontProxyOptions: OptionsTable<FrontProxyConfig> = {
  ...standaloneOptions,
  port: { ...standaloneOptions.port, type: 'int', default: 6443 },
  // Clients connect here, not other Annex processes: the headers are those that kube-apiserver reads.
  ...requestHeaderOptions,
  ...aggregatorOptions,
  authorizationAlwaysAllowPaths: {
    ...standaloneOptions.authorizationAlwaysAllowPaths,
    type: 'list',
    default: [],
  },
  ...peerOptions,
  ...serviceAccountOptions,
  ...authenticationOptions,
  ...admissionOptions,
  coreApiUrl: urlOption('core-api-url', 'core-api'),
  crdRegistryUrl: urlOption('crd-registry-url', 'crd-registry'),
  authorizationUrl: urlOption('authorization-url', 'authorization'),
  discoveryUrl: urlOption('discovery-url', 'discovery'),
  ...advertiseOptions,
};

/** Checks rules between options. */
export const frontProxyConflicts: ConflictCheck<FrontProxyConfig> = (config) => [
  ...checkUrls<FrontProxyConfig>('coreApiUrl', 'crdRegistryUrl', 'authorizationUrl', 'discoveryUrl')(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...admissionConflicts(config),
];
