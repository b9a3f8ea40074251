/** How deep a text may nest, and its tree. */
export const maxExpressionDepth = 250;

/** The text nests deeper than anybody writes. */
export class RecursionLimit extends Error {}
