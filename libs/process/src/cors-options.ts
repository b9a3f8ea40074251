import { compilePattern } from '@annex/cel';
import { type ConflictCheck, optionGroup, type OptionsTable } from '@annex/runtime';

/** The web pages that are allowed to send requests. */
export interface CorsConfig {
  corsAllowedOrigins: readonly string[];
}

/** kube-apiserver's option of CORS. */
export const corsOptions: OptionsTable<CorsConfig> = optionGroup('Serving', {
  corsAllowedOrigins: {
    flag: 'cors-allowed-origins',
    type: 'list',
    default: [],
    help: 'Regular expressions of the origins whose web pages are allowed to send requests; each matches from the start to the end of the host. Example: //example.com(:|$).',
  },
});

/** Returns the expressions that are invalid, or that a part of a host name matches (CVE-2022-1996). */
export const corsConflicts: ConflictCheck<CorsConfig> = ({ corsAllowedOrigins }) =>
  corsAllowedOrigins.flatMap((pattern) => {
    const problem = patternProblem(pattern);
    return problem === undefined ? [] : [`--cors-allowed-origins: ${JSON.stringify(pattern)} ${problem}`];
  });

function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'is empty';
  try {
    compilePattern(pattern);
  } catch (error) {
    return `is an invalid regular expression: ${(error as Error).message}`;
  }
  const isPinned = /\^|\/\//.test(pattern) && /[$:]/.test(pattern);
  return isPinned ? undefined : 'does not pin to the start and the end of the host: write //HOST(:|$)';
}

/** Returns the test of an `Origin` header, which takes linear time; undefined if no origin is allowed. */
export function allowedOrigins({
  corsAllowedOrigins = [],
}: Partial<CorsConfig>): ((origin: string) => boolean) | undefined {
  if (corsAllowedOrigins.length === 0) return undefined;
  const patterns = corsAllowedOrigins.map(compilePattern);
  return (origin) => patterns.some((pattern) => pattern.matcher(origin).find());
}
