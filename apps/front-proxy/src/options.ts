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

/** The configuration of the front proxy in a process of its own. */
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

/** The options of the front proxy; names that kube-apiserver has mean what they mean there. */
export const frontProxyOptions: OptionsTable<FrontProxyConfig> = {
  ...standaloneOptions,
  port: { ...standaloneOptions.port, type: 'int', default: 6443 },
  // Clients come in here, not our own processes: what is read of them is what kube-apiserver reads.
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

/** Rules between the options. */
export const frontProxyConflicts: ConflictCheck<FrontProxyConfig> = (config) => [
  ...checkUrls<FrontProxyConfig>('coreApiUrl', 'crdRegistryUrl', 'authorizationUrl', 'discoveryUrl')(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...admissionConflicts(config),
];
