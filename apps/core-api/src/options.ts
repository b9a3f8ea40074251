import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { type TolerationConfig, tolerationOptions } from '@annex/admission';
import {
  type AdvertiseConfig,
  advertiseConflicts,
  advertiseOptions,
  type AppConfig,
  appConflicts,
  appOptions,
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type TokenIssuerConfig,
  tokenIssuerOptions,
} from '@annex/process';
import { type EventConfig, eventOptions } from './kinds/core/events/ttl-options.ts';
import {
  type ServiceRangeConfig,
  serviceRangeConflicts,
  serviceRangeOptions,
} from './kinds/core/services/range-options.ts';

/** The configuration of core-api in a separate process. */
export interface CoreApiProcessConfig
  extends
    AppConfig,
    ServiceAccountConfig,
    TokenIssuerConfig,
    AuthenticationConfig,
    AdvertiseConfig,
    ServiceRangeConfig,
    EventConfig,
    TolerationConfig {}

/** The options of core-api. Names of kube-apiserver flags have the meaning of those flags. */
export const coreApiOptions: OptionsTable<CoreApiProcessConfig> = {
  ...appOptions,
  ...serviceAccountOptions,
  ...tokenIssuerOptions,
  // This app serves TokenReviews, so it has the same options as the front proxy.
  ...authenticationOptions,
  ...serviceRangeOptions,
  ...eventOptions,
  ...tolerationOptions,
  ...advertiseOptions,
};

/** Checks rules between options. */
export const coreApiConflicts: ConflictCheck<CoreApiProcessConfig> = (config) => [
  ...advertiseConflicts(config),
  ...serviceRangeConflicts(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...appConflicts(config),
];
