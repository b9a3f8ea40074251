export type {
  Column,
  ExtensionRequest,
  OwnObjects,
  Resource,
  ResourceDefinition,
  ScaleDefinition,
  StoredAs,
  SubresourceDefinition,
} from './resource-definition.ts';
export { defineResource } from './define-resource.ts';
export {
  createExtensionServer,
  type ExtensionServer,
  type ExtensionServerOptions,
} from './extension-server.ts';
export type { TrustSource } from '@annex/process';
export type { StorageSource } from './open-store.ts';
export { type Extension, runExtensionServer } from './run-extension-server.ts';
export type { InputOf, InputValueOf, ObjectOf, Schema, ValueOf } from './schema-type.ts';
export type { CertificateSource } from './serving-certificate.ts';
// For servers with a main function of their own: `runExtensionServer` watches its event loop itself.
export { watchEventLoop } from '@annex/runtime';
// Types and functions of other packages that definitions need.
export { type FieldError, fieldErrors, FieldPath, type KubeObject, StatusError } from '@annex/machinery';
export type { AdmissionPlugin, AdmissionAttributes } from '@annex/server';
export type { LogFormat } from '@annex/runtime';
