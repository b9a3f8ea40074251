import {
  limitExceededByTextInPasses,
  maxDepth,
  maxObjectMembers,
  type Passes,
  validateQualifiedName,
} from '@annex/machinery';
import { maxBodyContainers } from '@annex/server';

/**
 * The maximum number of warnings from one response; the response to the client contains at most 4096
 * characters of them.
 */
export const maxWebhookWarnings = 100;

/**
 * The maximum number of audit annotations from one response; kube-apiserver has no limit, and writes events
 * of any size.
 */
export const maxWebhookAnnotations = 1000;

/**
 * The maximum characters of the audit annotations from one response: the limit of an object's annotations.
 */
export const maxWebhookAnnotationsLength = 256 * 1024;

/** Returns the accepted audit annotations of a response, under the name of the webhook. */
export function acceptedAnnotations(
  webhook: string,
  annotations: Readonly<Record<string, string>>,
): (readonly [key: string, value: string])[] {
  const taken: (readonly [string, string])[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(annotations).slice(0, maxWebhookAnnotations)) {
    const key = `${webhook}/${name}`;
    length += key.length + value.length;
    if (length > maxWebhookAnnotationsLength) break;
    // kube-apiserver omits invalid annotation keys.
    if (validateQualifiedName(key).length === 0) taken.push([key, value]);
  }
  return taken;
}

/** Returns the accepted warnings of a response. */
export const acceptedWarnings = (warnings: readonly string[]): readonly string[] =>
  warnings.slice(0, maxWebhookWarnings);

const textLimits = { depth: maxDepth, containers: maxBodyContainers, members: maxObjectMembers };
const refusals = {
  depth: 'exceeded max depth',
  containers: `it has more than ${maxBodyContainers} objects and lists`,
  members: `one object has more than ${maxObjectMembers} members`,
};

/** Returns why a JSON text of a webhook is refused before it is parsed, in passes: it has the limits of a request body. */
export function* refusedText(text: string): Passes<string | undefined> {
  const exceeded = yield* limitExceededByTextInPasses(text, textLimits);
  return exceeded && refusals[exceeded];
}
