const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Returns Go's error of a text that is not in base64. Line breaks are allowed. */
export function base64Error(text: string): string | undefined {
  const at = invalidByte(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

function invalidByte(text: string): number | undefined {
  let characters = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '\r' || char === '\n') continue;
    if (char === '=') return paddingError(text, i, characters % 4);
    if (!alphabet.includes(char)) return i;
    characters++;
  }
  return characters % 4 === 0 ? undefined : text.length - (characters % 4);
}

/** Padding completes a group of four, and ends the text. */
function paddingError(text: string, start: number, characters: number): number | undefined {
  if (characters < 2) return start;
  let missing = 4 - characters;
  for (let i = start; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char === '\r' || char === '\n') continue;
    if (missing === 0) return i;
    if (char !== '=') return i - 1;
    missing--;
  }
  return missing === 0 ? undefined : text.length;
}
