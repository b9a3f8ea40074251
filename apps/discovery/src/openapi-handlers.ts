import { Buffer } from 'node:buffer';
import { stringifyJson } from '@annex/machinery';
import { type RequestContext, sendBody } from '@annex/server';
import { chooseType } from './accept.ts';
import {
  type Encoded,
  type OpenApiDocuments,
  digest,
  openApiIndex,
  openApiUrl,
} from './openapi-documents.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { mergeToV2 } from './openapi-v2.ts';
import { sendEmpty, sendEncoded } from './send.ts';

const json = 'application/json';
const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What a client may ask for, and what it gets: the older name of the protobuf form is no valid media type. */
const v2Types: Readonly<Record<string, string>> = {
  [json]: json,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf': protobuf,
  [protobuf]: protobuf,
};
const aYear = 365 * 24 * 3600 * 1000;

/** Answers `/openapi/v2` and `/openapi/v3`. */
export class OpenApiHandlers {
  readonly #documents: OpenApiDocuments;
  readonly #now: () => number;
  #v2: { of: string; forms: Map<string, Promise<Encoded>> } = { of: '', forms: new Map() };

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
    const hashes = await this.#documents.hashes();
    const of = digest([...hashes].map(([path, hash]) => `${path} ${hash}`).join('\n'));
    if (this.#v2.of !== of) this.#v2 = { of, forms: new Map() };
    const type = v2Types[asked] ?? json;
    const encoded = this.#v2.forms.get(type) ?? this.#merge(type, of);
    this.#v2.forms.set(type, encoded);
    sendEncoded(ctx, await encoded, type);
  }

  async #merge(type: string, hash: string): Promise<Encoded> {
    const document = await mergeToV2(this.#documents.all());
    const bytes = type === json ? Buffer.from(stringifyJson(document)) : encodeOpenApiV2(document);
    return { bytes, hash, madeAt: this.#now() };
  }
}
