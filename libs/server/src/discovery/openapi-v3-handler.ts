import { Buffer } from 'node:buffer';
import { finishInSlices, getOwn, type Passes, sortInPasses, stringifyJson } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { pause } from '../large-objects.ts';
import { sendBody } from '../respond.ts';
import { acceptClauses, chooseType } from '../encoding/accept.ts';
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

/**
 * Media types that a client may request, and the response. The older name of the protobuf form is not a valid
 * media type.
 */
const forms: Readonly<Record<string, { type: string; form?: DocumentForm }>> = {
  [json]: { type: json },
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf': { type: protobuf, form: encodeOpenApiV3 },
  [protobuf]: { type: protobuf, form: encodeOpenApiV3 },
};

/**
 * Returns the time to compare with `If-Modified-Since`, which has a resolution of one second. During the
 * second of a change, no date proves that the client has the newest version. kubectl repeats such requests
 * quickly and would miss a new CRD.
 */
const afterSecondOf = (changedAt: number, now: number): number =>
  Math.trunc(changedAt / 1000) === Math.trunc(now / 1000) ? now + 1000 : now;

const aYear = 365 * 24 * 3600 * 1000;

/** Documents that other servers serve. */
export interface ForwardedDocuments {
  /** The entries of the index: each `serverRelativeURL` by its path. */
  urls(): ReadonlyMap<string, string>;
  /** Forwards the request to the server of that path. */
  forward(request: RequestContext, path: string): Promise<void>;
}

/** How many paths of the index one pass writes. */
const writtenAtOnce = 500;

/** Encodes the index in passes: there can be tens of thousands of versions. */
function* indexText(urls: [path: string, url: string][]): Passes<string> {
  const sorted = yield* sortInPasses(urls, ([a], [b]) => (a < b ? -1 : 1));
  let text = '';
  for (const [i, [path, serverRelativeURL]] of sorted.entries()) {
    if (i % writtenAtOnce === 0) yield;
    text += `${i === 0 ? '' : ','}${JSON.stringify(path)}:${stringifyJson({ serverRelativeURL })}`;
  }
  return `{"paths":{${text}}}`;
}

/** Serves `/openapi/v3` and the paths below it. */
export class OpenApiV3 {
  readonly #documents: PublishedDocuments;
  readonly #forwarded: ForwardedDocuments | undefined;
  readonly #now: () => number;
  /** The index that was sent last, and the time when it was first sent. */
  #sent = { body: Buffer.alloc(0), firstAt: 0 };

  constructor(documents: PublishedDocuments, now: () => number, forwarded?: ForwardedDocuments) {
    this.#documents = documents;
    this.#forwarded = forwarded;
    this.#now = now;
  }

  /** Sends the index as text: kube-apiserver lets Go detect the media type of these bytes. */
  async index(request: RequestContext): Promise<void> {
    const urls = new Map(this.#forwarded?.urls());
    for (const [path, hash] of await this.#documents.hashes()) urls.set(path, openApiUrl(path, hash));
    const body = Buffer.from(await finishInSlices(indexText([...urls]), pause));
    const madeAt = this.#now();
    const headers = { 'Last-Modified': new Date(madeAt).toUTCString() };
    if (!body.equals(this.#sent.body)) this.#sent = { body, firstAt: madeAt };
    const code = conditionCode(request.req, { madeAt: afterSecondOf(this.#sent.firstAt, madeAt) });
    if (code !== 200) return sendEmpty(request, code, headers);
    sendBody(request, 200, 'text/plain; charset=utf-8', body, headers);
  }

  /**
   * Sends the document of one version. A client may cache it forever if the query contains the hash of the
   * index.
   */
  async document(request: RequestContext, path: string): Promise<void> {
    const requested = chooseType(request.req.headers.accept, Object.keys(forms));
    const { type = json, form } = getOwn(forms, requested ?? '') ?? {};
    const encoded = await this.#documents.encoded(path, form);
    if (encoded === undefined) {
      if (this.#forwarded?.urls().has(path)) return this.#forwarded.forward(request, path);
      return sendEmpty(request, 404);
    }
    if (requested === undefined) {
      // kube-apiserver sends nothing to a client that accepts no media type.
      const acceptsNone = acceptClauses(request.req.headers.accept).length === 0;
      return acceptsNone ? sendEmpty(request, 200) : sendEmpty(request, 406, { Vary: 'Accept' });
    }
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
