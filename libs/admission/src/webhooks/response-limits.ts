import { validateQualifiedName } from '@annex/machinery';

/** Warnings that are taken from one response; the headers of the response to the client hold 4096 characters of them at most. */
export const maxWebhookWarnings = 100;

/** Audit annotations that are taken from one response; kube-apiserver takes all, and writes events of any size. */
export const maxWebhookAnnotations = 1000;

/** Characters of the audit annotations that are taken from one response: as many as an object's annotations may have. */
export const maxWebhookAnnotationsLength = 256 * 1024;

/** The audit annotations of a response that are taken, under the name of the webhook. */
export function takenAnnotations(
  webhook: string,
  annotations: Readonly<Record<string, string>>,
): (readonly [key: string, value: string])[] {
  const taken: (readonly [string, string])[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(annotations).slice(0, maxWebhookAnnotations)) {
    const key = `${webhook}/${name}`;
    length += key.length + value.length;
    if (length > maxWebhookAnnotationsLength) break;
    // kube leaves out what cannot be the key of an annotation.
    if (validateQualifiedName(key).length === 0) taken.push([key, value]);
  }
  return taken;
}

/** The warnings of a response that are taken. */
export const takenWarnings = (warnings: readonly string[]): readonly string[] =>
  warnings.slice(0, maxWebhookWarnings);
