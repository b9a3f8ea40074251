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
import { mergeToV2 } from './openapi-v2.ts';
import { sendEmpty, sendEncoded } from './send.ts';

const json = 'application/json';
const aYear = 365 * 24 * 3600 * 1000;

/** Answers `/openapi/v2` and `/openapi/v3`. */
export class OpenApiHandlers {
  readonly #documents: OpenApiDocuments;
  readonly #now: () => number;
  #v2: { of: string; encoded: Promise<Encoded> } | undefined;

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
    if (chooseType(ctx.req.headers.accept, [json]) === undefined)
      return sendEmpty(ctx, 406, { Vary: 'Accept' });
    const hashes = await this.#documents.hashes();
    const of = digest([...hashes].map(([path, hash]) => `${path} ${hash}`).join('\n'));
    if (this.#v2?.of !== of) this.#v2 = { of, encoded: this.#merge() };
    sendEncoded(ctx, await this.#v2.encoded, json);
  }

  async #merge(): Promise<Encoded> {
    const bytes = Buffer.from(stringifyJson(await mergeToV2(this.#documents.all())));
    return { bytes, hash: digest(bytes), madeAt: this.#now() };
  }
}
