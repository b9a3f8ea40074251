/**
 * The configuration of a plugin is valid, but the plugin cannot run with it. The message is that of
 * kube-apiserver.
 */
export class InitializationError extends Error {}
