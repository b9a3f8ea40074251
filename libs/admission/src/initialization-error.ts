/** A plugin whose configuration can be read, and that cannot run with it; the message is kube's. */
export class InitializationError extends Error {}
