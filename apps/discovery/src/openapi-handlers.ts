import { Buffer } from 'node:buffer';
import { stringifyJson } from '@annex/machinery';
import { type RequestContext, sendBody } from '@annex/server';
import { chooseType } from './accept.ts';
import { type OpenApiDocuments, openApiIndex, openApiUrl } from './openapi-documents.ts';
import { V2Merger, type V2Type } from './openapi-v2-merge.ts';
import { sendEmpty, sendEncoded } from './send.ts';

const json = 'application/json';
/** What a client may ask for, and what it gets: the older name of the protobuf form is no valid media type. */
const v2Types: Readonly<Record<string, V2Type>> = {
  [json]: json,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
};
const aYear = 365 * 24 * 3600 * 1000;

/** Answers `/openapi/v2` and `/openapi/v3`. */
export class OpenApiHandlers {
  readonly #documents: OpenApiDocuments;
  readonly #now: () => number;
  readonly #v2 = new Map<V2Type, V2Merger>();

  constructor(documents: OpenApiDocuments, now: () => number) {
    this.#documents = documents;
    this.#now = now;
  }

  /** The index. It goes out as text: kube-apiserver lets Go guess the type of these bytes. */
  async index(ctx: RequestContext): Promise<void> {
    const body = Buffer.from(stringifyJson(openApiIndex(await this.#documents.hashes())));
    sendBody(ctx, 200, 'text/plain; charset=utf-8', body, { 'Accept-Ranges': 'bytes' });
  }

  /** The document of one version. With the hash of the index in the query, it may be kept for ever. */
  async document(ctx: RequestContext, path: string): Promise<void> {
    if (chooseType(ctx.req.headers.accept, [json]) === undefined)
      return sendEmpty(ctx, 406, { Vary: 'Accept' });
    const encoded = await this.#documents.encoded(path);
    if (encoded === undefined) return sendEmpty(ctx, 404);
    const asked = ctx.query.get('hash');
    if (asked !== null && asked !== '' && asked !== encoded.hash) {
      return sendEmpty(ctx, 301, { Location: openApiUrl(path, encoded.hash), Vary: 'Accept' });
    }
    const immutable = {
      'Cache-Control': 'public, immutable',
      Expires: new Date(this.#now() + aYear).toUTCString(),
    };
    sendEncoded(ctx, encoded, json, asked ? immutable : {});
  }

  /** All documents merged into one of version 2. */
  async v2(ctx: RequestContext): Promise<void> {
    const asked = chooseType(ctx.req.headers.accept, Object.keys(v2Types));
    if (asked === undefined) return sendEmpty(ctx, 406, { Vary: 'Accept' });
    const type = v2Types[asked] ?? json;
    const merger = this.#v2.get(type) ?? new V2Merger(type);
    this.#v2.set(type, merger);
    sendEncoded(ctx, await merger.merge(await this.#documents.all(), this.#now()), type);
  }
}
