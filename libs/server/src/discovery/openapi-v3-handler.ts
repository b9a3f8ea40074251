import { Buffer } from 'node:buffer';
import { getOwn, type JsonObject, stringifyJson } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { sendBody } from '../respond.ts';
import { chooseType } from '../encoding/accept.ts';
import {
  conditionCode,
  type DocumentForm,
  encodeOpenApiV3,
  openApiUrl,
  type PublishedDocuments,
} from '@annex/openapi';
import { sendEmpty } from './send-empty.ts';
import { sendOpenApi } from './send-openapi.ts';

const json = 'application/json';
const protobuf = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/** What a client may ask for, and what it gets: the older name of the protobuf form is no valid media type. */
const forms: Readonly<Record<string, { type: string; form?: DocumentForm }>> = {
  [json]: { type: json },
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf': { type: protobuf, form: encodeOpenApiV3 },
  [protobuf]: { type: protobuf, form: encodeOpenApiV3 },
};

/**
 * The time to compare `If-Modified-Since` with, whose unit is a second: in the second of a change, no date proves that the
 * client has what came after it. kubectl repeats such requests quickly, and would miss a CRD that it has just created.
 */
const afterSecondOf = (changedAt: number, now: number): number =>
  Math.trunc(changedAt / 1000) === Math.trunc(now / 1000) ? now + 1000 : now;

const aYear = 365 * 24 * 3600 * 1000;

/** Documents that other servers answer for. */
export interface ForwardedDocuments {
  /** What the index says of them: `serverRelativeURL`s by path. */
  urls(): ReadonlyMap<string, string>;
  /** Answers as the server of that path does. */
  forward(request: RequestContext, path: string): Promise<void>;
}

/** Answers `/openapi/v3` and what is below. */
export class OpenApiV3 {
  readonly #documents: PublishedDocuments;
  readonly #forwarded: ForwardedDocuments | undefined;
  readonly #now: () => number;
  /** The index that was sent last, and when it was first sent. */
  #sent = { body: Buffer.alloc(0), firstAt: 0 };

  constructor(documents: PublishedDocuments, now: () => number, forwarded?: ForwardedDocuments) {
    this.#documents = documents;
    this.#forwarded = forwarded;
    this.#now = now;
  }

  /** The index. It goes out as text: kube-apiserver lets Go guess the type of these bytes. */
  async index(request: RequestContext): Promise<void> {
    const urls = new Map(this.#forwarded?.urls());
    for (const [path, hash] of await this.#documents.hashes()) urls.set(path, openApiUrl(path, hash));
    const paths = [...urls].sort(([a], [b]) => (a < b ? -1 : 1));
    const entries = paths.map(([path, serverRelativeURL]) => [path, { serverRelativeURL }]);
    const body = Buffer.from(stringifyJson({ paths: Object.fromEntries(entries) as JsonObject }));
    const madeAt = this.#now();
    const headers = { 'Last-Modified': new Date(madeAt).toUTCString() };
    if (!body.equals(this.#sent.body)) this.#sent = { body, firstAt: madeAt };
    const code = conditionCode(request.req.headers, { madeAt: afterSecondOf(this.#sent.firstAt, madeAt) });
    if (code !== 200) return sendEmpty(request, code, headers);
    sendBody(request, 200, 'text/plain; charset=utf-8', body, headers);
  }

  /** The document of one version. With the hash of the index in the query, it may be kept for ever. */
  async document(request: RequestContext, path: string): Promise<void> {
    const requested = chooseType(request.req.headers.accept, Object.keys(forms));
    const { type = json, form } = getOwn(forms, requested ?? '') ?? {};
    const encoded = await this.#documents.encoded(path, form);
    if (encoded === undefined) {
      if (this.#forwarded?.urls().has(path)) return this.#forwarded.forward(request, path);
      return sendEmpty(request, 404);
    }
    if (requested === undefined) return sendEmpty(request, 406, { Vary: 'Accept' });
    const hash = request.query.get('hash');
    if (hash !== undefined && hash !== '' && hash !== encoded.hash) {
      return sendEmpty(request, 301, {
        Location: openApiUrl(path, encoded.hash),
        Vary: 'Accept',
        'Content-Type': type,
        ETag: `"${encoded.hash}"`,
      });
    }
    const immutable = {
      'Cache-Control': 'public, immutable',
      Expires: new Date(this.#now() + aYear).toUTCString(),
    };
    await sendOpenApi(request, encoded, type, hash ? immutable : {});
  }
}
