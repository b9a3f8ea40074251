import { finishInSlices, type JsonValue, parseJsonInPasses } from '@annex/machinery';
import { createPacer, ownTurn } from '@annex/runtime';

/** Texts of more characters are decoded in turns of their own. */
const largeTextLength = 32 * 1024;

/** Returns whether a JSON text is decoded in turns of its own. */
export const isLargeText = (text: string): boolean => text.length > largeTextLength;

/** Decodes a JSON text in passes, between which the process does other work. The responses to many requests can arrive in one turn. */
export async function parseLargeText(text: string): Promise<JsonValue> {
  await ownTurn();
  return await finishInSlices(parseJsonInPasses(text), createPacer());
}
