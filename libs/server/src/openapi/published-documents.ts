import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { JsonObject } from '@annex/machinery';
import type { DiscoverySource } from '../app.ts';
import { encodeDocument } from './encode-document.ts';

/** A document ready to be sent. */
export interface Encoded {
  /** Its bytes, in pieces that follow each other. */
  pieces: readonly Buffer[];
  hash: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/** Writes a document in a form other than JSON. */
export type DocumentForm = (document: JsonObject) => Buffer;

/** Documents of servers that are asked over the network. */
export interface RemoteDocuments {
  openApiHashes(): ReadonlyMap<string, string>;
  openApi(path: string): JsonObject | undefined;
}

/** A document that is known to exist. */
export interface LazyDocument {
  hash: string;
  /** Set where somebody else's server wrote it: the only paths that it may describe, in one document for all, begin so. */
  within?: string;
  load(): JsonObject | undefined | Promise<JsonObject | undefined>;
}

export function digest(...data: readonly (string | Buffer)[]): string {
  const hash = createHash('sha512');
  for (const part of data) hash.update(part);
  return hash.digest('hex').toUpperCase();
}

/**
 * The OpenAPI v3 documents of all servers. A document is made when it is asked for, and kept encoded until its hash
 * changes; to know the hash, a source's own word is taken where it has one.
 */
export class PublishedDocuments {
  readonly #local: readonly DiscoverySource[];
  readonly #remote: RemoteDocuments;
  readonly #now: () => number;
  readonly #encoded = new Map<DocumentForm | undefined, Map<string, Encoded>>();
  readonly #pieces = new WeakMap<JsonObject, { pieces: readonly Buffer[]; hash: string }>();

  constructor(local: readonly DiscoverySource[], remote: RemoteDocuments, now: () => number) {
    this.#local = local;
    this.#remote = remote;
    this.#now = now;
  }

  /** The hash of every document, by its path. */
  async hashes(): Promise<Map<string, string>> {
    const places = await this.#places();
    return new Map([...places].map(([path, { hash }]) => [path, hash]));
  }

  /** One document, as JSON or in another form; `undefined` where there is none. */
  async encoded(path: string, form?: DocumentForm): Promise<Encoded | undefined> {
    const place = await this.#placeOf(path);
    if (place === undefined) return undefined;
    const kept = this.#keptIn(form);
    const known = kept.get(path);
    if (known?.hash === place.hash) return known;
    const document = await place.load();
    if (document === undefined) return undefined;
    const pieces = form === undefined ? (await this.#encode(document)).pieces : [form(document)];
    const made = { pieces, hash: place.hash, madeAt: this.#now() };
    kept.set(path, made);
    return made;
  }

  #keptIn(form: DocumentForm | undefined): Map<string, Encoded> {
    let kept = this.#encoded.get(form);
    if (kept === undefined) this.#encoded.set(form, (kept = new Map()));
    return kept;
  }

  /** Every document with its hash, to be loaded where it is needed. */
  async all(): Promise<[path: string, document: LazyDocument][]> {
    return [...(await this.#places())];
  }

  async #places(): Promise<Map<string, LazyDocument>> {
    const places = new Map<string, LazyDocument>();
    for (const path of this.#remote.openApiHashes().keys()) {
      const place = this.#remotePlace(path);
      if (place) places.set(path, place);
    }
    for (const source of this.#local) {
      for (const path of await source.openapiPaths()) {
        const place = places.has(path) ? undefined : await this.#localPlace(source, path);
        if (place) places.set(path, place);
      }
    }
    for (const kept of this.#encoded.values()) {
      for (const path of kept.keys()) if (!places.has(path)) kept.delete(path);
    }
    return places;
  }

  async #placeOf(path: string): Promise<LazyDocument | undefined> {
    const remote = this.#remotePlace(path);
    if (remote) return remote;
    for (const source of this.#local) {
      if ((await source.openapiPaths()).includes(path)) return this.#localPlace(source, path);
    }
    return undefined;
  }

  #remotePlace(path: string): LazyDocument | undefined {
    const hash = this.#remote.openApiHashes().get(path);
    if (hash === undefined) return undefined;
    const within = `/${path.slice(0, path.lastIndexOf('/') + 1)}`;
    return { hash, within, load: () => this.#remote.openApi(path) };
  }

  async #localPlace(source: DiscoverySource, path: string): Promise<LazyDocument | undefined> {
    const word = source.openapiHash?.(path);
    const load = () => source.openapi(path);
    if (word !== undefined) return { hash: digest(`${path} ${word}`), load };
    const document = await load();
    return document && { hash: (await this.#encode(document)).hash, load: () => document };
  }

  async #encode(document: JsonObject): Promise<{ pieces: readonly Buffer[]; hash: string }> {
    let made = this.#pieces.get(document);
    if (made === undefined) {
      const pieces = await encodeDocument(document);
      this.#pieces.set(document, (made = { pieces, hash: digest(...pieces) }));
    }
    return made;
  }
}

/** The index of `/openapi/v3`. */
export function openApiIndex(hashes: ReadonlyMap<string, string>): JsonObject {
  const paths = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    paths: Object.fromEntries(
      paths.map(([path, hash]) => [path, { serverRelativeURL: openApiUrl(path, hash) }]),
    ),
  };
}

export const openApiUrl = (path: string, hash: string): string =>
  `/openapi/v3/${path}?hash=${encodeURIComponent(hash)}`;
