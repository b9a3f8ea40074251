import type { KnownObjects, ServerDeps } from '@annex/server';
import type { ParamSource } from './policies/params.ts';
import type { ParamKind } from './policies/policy-spec.ts';
import type { ResolveService } from './webhooks/webhook-client.ts';
import type { FindNamespace } from './selectors.ts';

/**
 * The API server whose webhooks, policies and namespaces apply to a write: the server of the write, or the
 * one that it extends.
 */
export interface AdmissionHost extends Pick<ServerDeps, 'egress' | 'log' | 'metrics'> {
  /** Returns the objects under a prefix of the store. */
  objects(prefix: string): KnownObjects;
  findNamespace: FindNamespace;
  resolveService: ResolveService;
  /** Finds the objects of a parameter kind. Throws if the kind is not served. */
  findParams(kind: ParamKind): Promise<ParamSource>;
}
