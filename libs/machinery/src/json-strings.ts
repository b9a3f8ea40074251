const backslash = 0x5c;

/** Returns the index of the quote that ends the string at `start`; the end of the text if there is none. */
export function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end;
}

/** True if a backslash stands before this character that is not escaped itself. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

/** True for white space of JSON. */
export const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
