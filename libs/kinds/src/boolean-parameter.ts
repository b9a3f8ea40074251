/** A boolean parameter of a query: present, it is true unless it is `0` or `false` in any case, as kube-apiserver converts it. */
export const booleanParameter = (value: string | undefined): boolean =>
  value !== undefined && value !== '0' && !equalsFalse.test(value);

// With the case folding of Unicode, as Go's strings.EqualFold.
const equalsFalse = /^false$/iu;
