/** The maximum nesting depth of an expression and of its syntax tree. Source: cel-go. */
export const maxExpressionDepth = 250;

/** Ends the parsing of an expression that exceeds a limit. */
export class ExpressionLimitError extends Error {}
