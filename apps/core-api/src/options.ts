import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import {
  type AdvertiseConfig,
  advertiseConflicts,
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
import { type AdmissionConfig, admissionConflicts, admissionOptions } from '@annex/admission';
import { type ServedApisConfig, servedApisConflicts, servedApisOptions } from '@annex/server';
import { type EventConfig, eventOptions } from './kinds/core/events/ttl-options.ts';
import {
  type ServiceRangeConfig,
  serviceRangeConflicts,
  serviceRangeOptions,
} from './kinds/core/services/range-options.ts';

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
    ServiceRangeConfig,
    EventConfig {}

/** The options of core-api; names that kube-apiserver has mean what they mean there. */
export const coreApiOptions: OptionsTable<CoreApiProcessConfig> = {
  ...standaloneOptions,
  ...serviceAccountOptions,
  ...tokenIssuerOptions,
  // TokenReviews are answered here: the same options as the front proxy has.
  ...authenticationOptions,
  ...serviceRangeOptions,
  ...eventOptions,
  ...servedApisOptions,
  ...admissionOptions,
  ...advertiseOptions,
};

/** Rules between the options. */
export const coreApiConflicts: ConflictCheck<CoreApiProcessConfig> = (config) => [
  ...advertiseConflicts(config),
  ...serviceRangeConflicts(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...servedApisConflicts(config),
  ...admissionConflicts(config),
];
