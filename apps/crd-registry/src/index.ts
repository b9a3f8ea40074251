export { type CrdRegistryConfig, createCrdRegistry } from './app.ts';
