// Runs only the rule about regular expressions: without types and the project graph, it takes a few seconds.
import { ESLint } from 'eslint';
import { root } from './install.mjs';

const withoutTypes = { files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } };
const eslint = new ESLint({
  cwd: root,
  overrideConfig: withoutTypes,
  ruleFilter: ({ ruleId }) => ruleId === 'annex/linear-regex',
});

/** Lints all sources. The rule requests a verdict for every expression from regex-verdicts.mjs. */
export const lintRegexes = () => eslint.lintFiles(['libs', 'apps', 'examples']);

/** Returns the messages about a text, linted under a file name. */
export async function lintRegexesOf(source, file) {
  const [{ messages }] = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return messages;
}
