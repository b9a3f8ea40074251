import type { OptionsTable } from '@annex/runtime';
import {
  type AdvertiseConfig,
  advertiseOptions,
  type AggregatorConfig,
  aggregatorOptions,
  checkUrls,
  type PeerConfig,
  peerOptions,
  type StandaloneConfig,
  standaloneOptions,
  urlOption,
} from '@annex/process';

/** The configuration of discovery in a separate process. */
export interface DiscoveryConfig extends StandaloneConfig, PeerConfig, AdvertiseConfig, AggregatorConfig {
  coreApiUrl: string;
  crdRegistryUrl: string;
  authorizationUrl: string;
  frontProxyUrl: string;
}

/** The options of discovery. */
export const discoveryOptions: OptionsTable<DiscoveryConfig> = {
  ...standaloneOptions,
  ...peerOptions,
  coreApiUrl: urlOption('core-api-url', 'core-api'),
  crdRegistryUrl: urlOption('crd-registry-url', 'crd-registry'),
  authorizationUrl: urlOption('authorization-url', 'authorization'),
  frontProxyUrl: urlOption('front-proxy-url', 'front-proxy'),
  ...aggregatorOptions,
  ...advertiseOptions,
};

/** Checks rules between options. */
export const discoveryConflicts = checkUrls<DiscoveryConfig>(
  'coreApiUrl',
  'crdRegistryUrl',
  'authorizationUrl',
  'frontProxyUrl',
);
