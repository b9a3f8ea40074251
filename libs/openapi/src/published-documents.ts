import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createPacer } from '@annex/runtime';
import type { JsonObject } from '@annex/machinery';
import type { CustomKind, DiscoverySource } from '@annex/kinds';
import { encodeDocument } from './encode-document.ts';

/** An encoded document. */
export interface Encoded {
  /** Its bytes, in consecutive pieces. */
  pieces: Iterable<Buffer>;
  /** The number of bytes. */
  length: number;
  hash: string;
  /** Milliseconds since the epoch. */
  madeAt: number;
}

/** Encodes a document in another form than JSON. */
export type DocumentForm = (document: JsonObject) => Buffer;

/** The part of a discovery source that provides documents. */
export type OpenApiSource = Pick<
  DiscoverySource,
  'openapiPaths' | 'openapi' | 'openapiHash' | 'openapiKinds'
>;

/** A document that exists and is built on demand. */
export interface LazyDocument {
  hash: string;
  load(): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Returns the kinds that the document describes, if all of them are custom. */
  kinds?(): readonly CustomKind[] | undefined;
}

export function digest(...data: readonly (string | Buffer)[]): string {
  const hash = createHash('sha512');
  for (const part of data) hash.update(part);
  return hash.digest('hex').toUpperCase();
}

/**
 * The OpenAPI v3 documents of several sources; if two have the same path, the first one applies. A document
 * is built at its first request, and its encoded form is kept until its hash changes. The hash is that of the
 * source, if it provides one.
 */
export class PublishedDocuments {
  readonly #sources: readonly OpenApiSource[];
  readonly #now: () => number;
  readonly #encoded = new Map<DocumentForm | undefined, Map<string, Encoded>>();
  readonly #pieces = new WeakMap<JsonObject, { pieces: readonly Buffer[]; hash: string }>();

  constructor(sources: readonly OpenApiSource[], now: () => number) {
    this.#sources = sources;
    this.#now = now;
  }

  /** Returns the hash of every document, by path. */
  async hashes(): Promise<Map<string, string>> {
    const places = await this.#places();
    return new Map([...places].map(([path, { hash }]) => [path, hash]));
  }

  /** Returns one document, as JSON or in another form; `undefined` if there is none. */
  async encoded(path: string, form?: DocumentForm): Promise<Encoded | undefined> {
    const place = await this.#placeOf(path);
    if (place === undefined) return undefined;
    const kept = this.#keptIn(form);
    const known = kept.get(path);
    if (known?.hash === place.hash) return known;
    const document = await place.load();
    if (document === undefined) return undefined;
    const pieces = form === undefined ? (await this.#encode(document)).pieces : [form(document)];
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const made = { pieces, length, hash: place.hash, madeAt: this.#now() };
    kept.set(path, made);
    return made;
  }

  #keptIn(form: DocumentForm | undefined): Map<string, Encoded> {
    let kept = this.#encoded.get(form);
    if (kept === undefined) this.#encoded.set(form, (kept = new Map()));
    return kept;
  }

  /** Returns every document with its hash; documents are built on demand. */
  async all(): Promise<[path: string, document: LazyDocument][]> {
    return [...(await this.#places())];
  }

  async #places(): Promise<Map<string, LazyDocument>> {
    const places = new Map<string, LazyDocument>();
    const pace = createPacer();
    for (const source of this.#sources) {
      for (const path of await source.openapiPaths()) {
        const place = places.has(path) ? undefined : await this.#placeIn(source, path);
        if (place) places.set(path, place);
        const pause = pace();
        if (pause) await pause;
      }
    }
    for (const kept of this.#encoded.values()) {
      for (const path of kept.keys()) if (!places.has(path)) kept.delete(path);
    }
    return places;
  }

  async #placeOf(path: string): Promise<LazyDocument | undefined> {
    for (const source of this.#sources) {
      if ((await source.openapiPaths()).includes(path)) return this.#placeIn(source, path);
    }
    return undefined;
  }

  async #placeIn(source: OpenApiSource, path: string): Promise<LazyDocument | undefined> {
    const word = source.openapiHash?.(path);
    const load = () => source.openapi(path);
    const kinds = () => source.openapiKinds?.(path);
    if (word !== undefined) return { hash: digest(`${path} ${word}`), load, kinds };
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

export const openApiUrl = (path: string, hash: string): string =>
  `/openapi/v3/${path}?hash=${encodeURIComponent(hash)}`;
