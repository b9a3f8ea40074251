import type { KubeObject } from '@annex/machinery';
import type { RequestContext } from './context.ts';
import type { ResourceKind } from './resource-kind.ts';

/** What an admission plugin is asked. */
export interface AdmissionRequest {
  request: RequestContext;
  kind: ResourceKind;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  subresource: string;
  namespace: string;
  name: string;
  dryRun: boolean;
  /** Absent for DELETE. Mutating plugins may change it. */
  object?: KubeObject;
  /** Absent for CREATE. Never change it. */
  oldObject?: KubeObject;
}

/** A gate that every write passes after it was authorized. Refuses by throwing StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}
