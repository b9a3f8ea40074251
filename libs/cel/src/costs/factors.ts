/** What the parts of expressions cost that are no calls. */
export const baseCosts = { access: 1, list: 10, map: 30, struct: 40 } as const;

/** What one character adds to the cost of going once over a text, or of applying it as a pattern. */
export const costFactors = { text: 0.1, pattern: 0.25 } as const;
