/** Removes the characters of a set from the end of a text, like Go's `strings.TrimRight`. */
export function trimRight(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Removes the characters of a set from both ends of a text, like Go's `strings.Trim`. */
export function trim(text: string, set: string): string {
  const trimmed = trimRight(text, set);
  let start = 0;
  while (start < trimmed.length && set.includes(trimmed.charAt(start))) start++;
  return trimmed.slice(start);
}
