import type { KnownObjects, ServerDeps } from '@annex/server';
import type { ParamSource } from './policies/params.ts';
import type { ParamKind } from './policies/policy-spec.ts';
import type { ResolveService } from './webhooks/webhook-client.ts';
import type { FindNamespace } from './selectors.ts';

/**
 * The API server whose webhooks, policies and namespaces are asked about a write: the one that is written to, or the one that it
 * extends.
 */
export interface AdmissionHost extends Pick<ServerDeps, 'log' | 'metrics'> {
  /** The objects under a prefix of its store. */
  objects(prefix: string): KnownObjects;
  findNamespace: FindNamespace;
  resolveService: ResolveService;
  /** Where the parameters of policies are. Throws where it serves no such kind. */
  findParams(kind: ParamKind): Promise<ParamSource>;
}
