/**
 * Converts a boolean query parameter as kube-apiserver does: if present, it is true unless it is `0` or, in
 * any case, `false`.
 */
export const booleanParameter = (value: string | undefined): boolean =>
  value !== undefined && value !== '0' && !equalsFalse.test(value);

// Uses the case folding of Unicode, as Go's strings.EqualFold.
const equalsFalse = /^false$/iu;
