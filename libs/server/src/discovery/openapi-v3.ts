import { Buffer } from 'node:buffer';
import { stringifyJson } from '@annex/machinery';
import type { RequestContext } from '../context.ts';
import { sendBody } from '../respond.ts';
import { chooseType } from './accept.ts';
import { conditionCode } from './conditions.ts';
import { type PublishedDocuments, openApiIndex, openApiUrl } from './published-documents.ts';
import { sendEmpty, sendEncoded } from './send.ts';

const json = 'application/json';
const aYear = 365 * 24 * 3600 * 1000;

/** Answers `/openapi/v3` and what is below. */
export class OpenApiV3 {
  readonly #documents: PublishedDocuments;
  readonly #now: () => number;

  constructor(documents: PublishedDocuments, now: () => number) {
    this.#documents = documents;
    this.#now = now;
  }

  /** The index. It goes out as text: kube-apiserver lets Go guess the type of these bytes. */
  async index(ctx: RequestContext): Promise<void> {
    const body = Buffer.from(stringifyJson(openApiIndex(await this.#documents.hashes())));
    const madeAt = this.#now();
    const headers = { 'Last-Modified': new Date(madeAt).toUTCString() };
    const code = conditionCode(ctx.req.headers, { madeAt });
    if (code !== 200) return sendEmpty(ctx, code, headers);
    sendBody(ctx, 200, 'text/plain; charset=utf-8', body, headers);
  }

  /** The document of one version. With the hash of the index in the query, it may be kept for ever. */
  async document(ctx: RequestContext, path: string): Promise<void> {
    if (chooseType(ctx.req.headers.accept, [json]) === undefined)
      return sendEmpty(ctx, 406, { Vary: 'Accept' });
    const encoded = await this.#documents.encoded(path);
    if (encoded === undefined) return sendEmpty(ctx, 404);
    const asked = ctx.query.get('hash');
    if (asked !== null && asked !== '' && asked !== encoded.hash) {
      return sendEmpty(ctx, 301, {
        Location: openApiUrl(path, encoded.hash),
        Vary: 'Accept',
        'Content-Type': json,
        ETag: `"${encoded.hash}"`,
      });
    }
    const immutable = {
      'Cache-Control': 'public, immutable',
      Expires: new Date(this.#now() + aYear).toUTCString(),
    };
    await sendEncoded(ctx, encoded, json, asked ? immutable : {});
  }
}
