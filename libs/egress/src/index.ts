export { type ConfiguredEgress, createEgressSelector, openEgressSelector } from './egress-selector.ts';
