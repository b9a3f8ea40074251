export { type CrdRegistryConfig, createCrdRegistry } from './app.ts';
export { runCrdRegistry } from './run.ts';
