/** The costs of expressions that are not calls. */
export const baseCosts = { access: 1, list: 10, map: 30, struct: 40 } as const;

/** The cost per character of traversing a string and of applying a pattern. */
export const costFactors = { text: 0.1, pattern: 0.25 } as const;
