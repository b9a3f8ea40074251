export { type CoreApiConfig, createCoreApi } from './app.ts';
export { bootstrap, type BootstrapConfig } from './bootstrap.ts';
export { type CoreKindsConfig } from './kinds/config.ts';
export { coreKinds, isCoreApiGroup } from './kinds/core-kinds.ts';
export { type EventConfig, eventOptions } from './kinds/core/events/ttl-options.ts';
export { IpRange } from './kinds/core/services/ip-range.ts';
export {
  type ServiceRangeConfig,
  serviceRangeConflicts,
  serviceRangeOptions,
} from './kinds/core/services/range-options.ts';
export { coreApiOptions } from './options.ts';
export { runCoreApi } from './run.ts';
