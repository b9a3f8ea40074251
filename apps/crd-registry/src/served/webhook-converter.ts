import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@annex/machinery';
import { checkConverted, places } from './converted-object.ts';
import { readReview, type ReviewVersion, writeReview } from './conversion-review.ts';
import { type Converter, conversionError } from './converter.ts';

/** Sends a document to the webhook and resolves to the body of its response. */
export type PostReview = (body: string) => Promise<string>;

/** Strategy Webhook: the webhook may change all parts of an object except its identity. */
export function webhookConverter(post: PostReview, reviewVersions: readonly string[]): Converter {
  const version = reviewVersions.find((name): name is ReviewVersion => name === 'v1' || name === 'v1beta1');
  return {
    async convert(object, apiVersion) {
      if (version === undefined) throw conversionError('no supported conversion review versions');
      const uid = randomUUID();
      const webhook = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
      let objects: JsonValue[];
      try {
        objects = await readReview(await post(writeReview(object, apiVersion, version, uid)), version, uid);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw conversionError(`${webhook} failed: ${why}`);
      }
      const [converted] = objects;
      if (objects.length !== 1 || converted === undefined) {
        throw conversionError(`${webhook} returned ${objects.length} objects, expected 1`);
      }
      const checked = checkConverted(object, converted, apiVersion);
      if ('object' in checked) return checked.object;
      const { error: message, about } = checked;
      throw conversionError(about === 'nothing' ? message : `${webhook} ${places[about]}: ${message}`);
    },
  };
}
