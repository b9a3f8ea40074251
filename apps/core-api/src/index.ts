export { type CoreApiConfig, createCoreApi } from './app.ts';
export { bootstrap, type BootstrapConfig } from './bootstrap.ts';
export { coreKinds, type CoreKindsConfig, isCoreApiGroup } from './kinds.ts';
export { type EventConfig, eventOptions } from './event-ttl.ts';
export { IpRange } from './strategies/ip-range.ts';
export { type ServiceRangeConfig, serviceRangeConflicts, serviceRangeOptions } from './service-range.ts';
