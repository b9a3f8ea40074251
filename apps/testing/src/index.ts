export { type FakeNodesOptions, startAnnex, type StartOptions } from './start-annex.ts';
export { type Identity, TestAnnex } from './test-annex.ts';
export type { ExtensionOptions, RunningExtension } from './extension.ts';
export type { Snapshot } from './snapshot.ts';
export { User } from './user.ts';
// The classes of a user's requests, so that a test needs no second package.
export {
  Client,
  type ClientConfig,
  type ClientRequest,
  ResourceClient,
  type ResourceAddress,
  type WatchEvent,
  type WatchOptions,
} from '@annex/client';
export { isReason, type KubeObject, StatusError } from '@annex/machinery';
