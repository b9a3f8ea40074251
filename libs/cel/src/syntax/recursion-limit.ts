/** The maximum nesting depth of an expression and of its syntax tree. */
export const maxExpressionDepth = 250;

/** Reports an expression that exceeds `maxExpressionDepth`. */
export class RecursionLimit extends Error {}
