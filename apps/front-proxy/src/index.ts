export { type FrontProxy, type FrontProxyOptions, createFrontProxy } from './app.ts';
export { type Management, type ManagedSource, automanagedLabel } from './auto-registration.ts';
export { type AvailabilityIntervals } from './availability.ts';
export { frontProxyOptions } from './options.ts';
export { runFrontProxy } from './run.ts';
