import type { KubeObject } from '@annex/machinery';
import type { WatchCache } from '@annex/storage';
import type { ServerDeps } from '../app.ts';
import type { ParamSource } from '../policies/params.ts';
import type { ParamKind } from '../policies/policy-spec.ts';
import type { ResolveService } from '../webhooks/webhook-client.ts';
import type { FindNamespace } from './selectors.ts';

/** An object that is followed. The same object is the same value, until it changes. */
export interface KnownObject {
  readonly object: KubeObject;
}

/** Objects that are followed: as much of a watch cache as an informer has too. */
export type KnownObjects = Pick<
  WatchCache<KnownObject>,
  'revision' | 'size' | 'isCurrent' | 'waitFor' | 'get' | 'list'
>;

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
