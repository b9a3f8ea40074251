import type { Passes } from '@annex/machinery';
import { codePointCount } from '../values/container.ts';
import type { Expr } from './expr.ts';
import type { Source } from './source.ts';
import { type Issue } from './source.ts';
import { diagnose } from './diagnosis.ts';
import { tokenize } from './lexer.ts';
import { type ParseOptions, TreeBuilder } from './tree-builder.ts';
import { inPasses } from './recursion.ts';
import { RecursionLimit } from './recursion-limit.ts';
import { ExpressionSyntaxError, TokenParser } from './token-parser.ts';

/** The maximum length of an expression, in code points; longer ones are rejected without parsing. */
export const maxExpressionCodePoints = 100_000;

/** Returns the syntax tree and all errors; the tree is valid only if there are none. */
export function* parse(
  source: Source,
  options: ParseOptions,
): Passes<{ expr: Expr; issues: readonly Issue[] }> {
  const issues: Issue[] = [];
  const builder = new TreeBuilder(options, issues);
  const length = source.text.length > maxExpressionCodePoints ? codePointCount(source.text) : 0;
  if (length > maxExpressionCodePoints) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxExpressionCodePoints}`;
    return { expr: builder.reportError(-1, message), issues };
  }
  const tokens = yield* tokenize(source.text, issues);
  try {
    return { expr: yield* inPasses(new TokenParser(tokens.tokens, builder).start()), issues };
  } catch (error) {
    if (error instanceof RecursionLimit) return { expr: builder.reportError(-1, error.message), issues };
    if (error instanceof ExpressionSyntaxError) {
      const further = without(yield* diagnose(source.text, tokens), issues);
      return { expr: builder.literal(error.offset, null), issues: [...issues, ...further] };
    }
    throw error;
  }
}

/** Returns the errors without those that are known, as many times as they are known. */
function without(issues: readonly Issue[], known: readonly Issue[]): readonly Issue[] {
  if (known.length === 0) return issues;
  const keyOf = ({ offset, message }: Issue) => `${offset} ${message}`;
  const counts = new Map<string, number>();
  for (const issue of known) counts.set(keyOf(issue), (counts.get(keyOf(issue)) ?? 0) + 1);
  return issues.filter((issue) => {
    const left = counts.get(keyOf(issue)) ?? 0;
    counts.set(keyOf(issue), left - 1);
    return left <= 0;
  });
}
