import type { KubeObject } from '@annex/machinery';
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
export interface KnownObjects {
  /** Resolves when they are known as of a revision; by default, where that can be found out, as they are now. */
  waitFor(revision?: number): Promise<void>;
  /** 0 as long as they are not known. */
  readonly revision: number;
  readonly size: number;
  get(key: string): { value: KnownObject } | undefined;
  /** Those whose keys begin so, in the order of their keys. */
  list(prefix: string): { entries: readonly { value: KnownObject }[] };
}

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
