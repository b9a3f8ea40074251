import { getOwn } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { chooseType } from '../encoding/accept.ts';
import { type ForwardedDocuments, OpenApiV3 } from './openapi-v3-handler.ts';
import {
  type ForeignDocument,
  type OpenApiSource,
  PublishedDocuments,
  V2Merger,
  type V2Type,
} from '@annex/openapi';
import { sendEmpty } from './send-empty.ts';
import { sendOpenApi } from './send-openapi.ts';

const json = 'application/json';
/**
 * Media types that a client may request, and the response. The older name of the protobuf form is not a valid
 * media type.
 */
const v2Types: Readonly<Record<string, V2Type>> = {
  [json]: json,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
};

/** The documents that extension API servers publish. */
export interface ExtensionDocuments extends ForwardedDocuments {
  /** The documents of version 2, in the order in which they are merged. */
  v2(): readonly ForeignDocument[];
  /** The documents of version 3 that are converted here from version 2. */
  converted: OpenApiSource;
}

/**
 * Serves `/openapi/v2` and `/openapi/v3`: the documents of Annex merged with those of extension API servers.
 */
export class OpenApiHandlers {
  readonly v3: OpenApiV3;
  readonly #own: PublishedDocuments;
  readonly #extensions: ExtensionDocuments | undefined;
  readonly #now: () => number;
  readonly #v2 = new Map<V2Type, V2Merger>();

  constructor(own: readonly OpenApiSource[], now: () => number, extensions?: ExtensionDocuments) {
    const all = extensions ? [...own, extensions.converted] : own;
    this.v3 = new OpenApiV3(new PublishedDocuments(all, now), now, extensions);
    this.#own = new PublishedDocuments(own, now);
    this.#extensions = extensions;
    this.#now = now;
  }

  /** Sends all documents, merged into one of version 2. */
  async v2(request: RequestContext): Promise<void> {
    const requested = chooseType(request.req.headers.accept, Object.keys(v2Types));
    if (requested === undefined) return sendEmpty(request, 406, { Vary: 'Accept' });
    const type = getOwn(v2Types, requested) ?? json;
    const merger = this.#v2.get(type) ?? new V2Merger(type);
    this.#v2.set(type, merger);
    // If several documents define the same name, that of the core group wins, because its path sorts first.
    const own = (await this.#own.all()).sort(([a], [b]) => (a < b ? -1 : 1));
    await sendOpenApi(request, await merger.merge(own, this.#extensions?.v2() ?? [], this.#now()), type);
  }
}
