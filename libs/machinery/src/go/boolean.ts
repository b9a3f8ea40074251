const values: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

/** Parses a boolean like Go's `strconv.ParseBool`. Returns `undefined` for other texts. */
export const parseGoBoolean = (text: string): boolean | undefined => values.get(text);
