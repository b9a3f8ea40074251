import { finishInSlices, type JsonValue, parseJsonInPasses } from '@annex/machinery';
import { ownTurn } from '@annex/runtime';

/** Texts of more characters are decoded in slices of so many milliseconds. */
const [largeTextLength, sliceMs] = [128 * 1024, 4];

/** Returns whether a JSON text is decoded in slices. */
export const isLargeText = (text: string): boolean => text.length > largeTextLength;

/** Decodes a JSON text in passes, between which the process does other work. */
export function parseLargeText(text: string): Promise<JsonValue> {
  let began = performance.now();
  const nextSlice = async (): Promise<void> => {
    await ownTurn();
    began = performance.now();
  };
  const pause = () => (performance.now() - began < sliceMs ? undefined : nextSlice());
  return finishInSlices(parseJsonInPasses(text), pause);
}
