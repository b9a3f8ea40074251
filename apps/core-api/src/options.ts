import { isIP } from 'node:net';
import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import {
  type AdvertiseConfig,
  advertiseOptions,
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type StandaloneConfig,
  standaloneOptions,
  type TokenIssuerConfig,
  tokenIssuerOptions,
} from '@annex/process';
import {
  type AdmissionConfig,
  admissionConflicts,
  admissionOptions,
  type ServedApisConfig,
  servedApisConflicts,
  servedApisOptions,
} from '@annex/server';
import { type ServiceRangeConfig, serviceRangeConflicts, serviceRangeOptions } from './service-range.ts';

/** The configuration of core-api in a process of its own. */
export interface CoreApiProcessConfig
  extends
    StandaloneConfig,
    ServiceAccountConfig,
    TokenIssuerConfig,
    AuthenticationConfig,
    ServedApisConfig,
    AdmissionConfig,
    AdvertiseConfig,
    ServiceRangeConfig {
  eventTtl: number;
}

/** The options of core-api; names that kube-apiserver has mean what they mean there. */
export const coreApiOptions: OptionsTable<CoreApiProcessConfig> = {
  ...standaloneOptions,
  ...serviceAccountOptions,
  ...tokenIssuerOptions,
  // TokenReviews are answered here: the same options as the front proxy has.
  ...authenticationOptions,
  ...serviceRangeOptions,
  eventTtl: {
    flag: 'event-ttl',
    type: 'duration',
    default: 3_600_000,
    min: 1_000,
    help: 'How long events are kept.',
  },
  ...servedApisOptions,
  ...admissionOptions,
  ...advertiseOptions,
};

/** Rules between the options. */
export const coreApiConflicts: ConflictCheck<CoreApiProcessConfig> = (config) => [
  ...(isIP(config.advertiseAddress) === 0
    ? [`--advertise-address: ${config.advertiseAddress} is no IP address`]
    : []),
  ...serviceRangeConflicts(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...servedApisConflicts(config),
  ...admissionConflicts(config),
];
