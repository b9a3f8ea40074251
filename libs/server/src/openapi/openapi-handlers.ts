import type { RequestContext } from '../context.ts';
import { chooseType } from '../encoding/accept.ts';
import { OpenApiV3 } from './v3.ts';
import type { PublishedDocuments } from './published-documents.ts';
import { sendEmpty } from '../discovery/send-empty.ts';
import { sendDocument } from './send-document.ts';
import { V2Merger, type V2Type } from './v2-merge.ts';

const json = 'application/json';
/** What a client may ask for, and what it gets: the older name of the protobuf form is no valid media type. */
const v2Types: Readonly<Record<string, V2Type>> = {
  [json]: json,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf':
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
};

/** Answers `/openapi/v2` and `/openapi/v3`. */
export class OpenApiHandlers {
  readonly v3: OpenApiV3;
  readonly #documents: PublishedDocuments;
  readonly #now: () => number;
  readonly #v2 = new Map<V2Type, V2Merger>();

  constructor(documents: PublishedDocuments, now: () => number) {
    this.v3 = new OpenApiV3(documents, now);
    this.#documents = documents;
    this.#now = now;
  }

  /** All documents merged into one of version 2. */
  async v2(ctx: RequestContext): Promise<void> {
    const asked = chooseType(ctx.req.headers.accept, Object.keys(v2Types));
    if (asked === undefined) return sendEmpty(ctx, 406, { Vary: 'Accept' });
    const type = v2Types[asked] ?? json;
    const merger = this.#v2.get(type) ?? new V2Merger(type);
    this.#v2.set(type, merger);
    // What several documents have is said at best by that of the core, which is the first by its path.
    const documents = (await this.#documents.all()).sort(([a], [b]) => (a < b ? -1 : 1));
    await sendDocument(ctx, await merger.merge(documents, this.#now()), type);
  }
}
