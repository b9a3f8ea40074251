import { builtinKinds } from '@annex/kinds';
import { groupVersion, type OwnerReference } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { servedDefinition, type ServedDefinition } from '../served-definition.ts';

/** The resource of the kind of an owner. */
export type OwnerResource = ServedDefinition;

/** Finds the resources of built-in kinds and of CRDs. Kinds of extension API servers are not found. */
export class OwnerResources {
  readonly #feed: ServerDeps['feed'];
  #builtin: ReadonlyMap<string, OwnerResource> | undefined;

  constructor(feed: ServerDeps['feed']) {
    this.#feed = feed;
  }

  async find(owner: Pick<OwnerReference, 'apiVersion' | 'kind'>): Promise<OwnerResource | undefined> {
    this.#builtin ??= new Map(builtinKinds().map((one) => [`${groupVersion(one)}/${one.kind}`, one]));
    return (
      this.#builtin.get(`${owner.apiVersion}/${owner.kind}`) ?? (await servedDefinition(this.#feed, owner))
    );
  }
}
