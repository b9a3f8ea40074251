// Runs the rule about regular expressions alone: without types and the graph of projects, it takes a few seconds.
import { ESLint } from 'eslint';
import { root } from './install.mjs';

const withoutTypes = { files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } };
const eslint = new ESLint({
  cwd: root,
  overrideConfig: withoutTypes,
  ruleFilter: ({ ruleId }) => ruleId === 'annex/linear-regex',
});

/** Every expression that the rule meets is requested from regex-verdicts.mjs then. */
export const lintRegexes = () => eslint.lintFiles(['libs', 'apps', 'examples']);

/** The messages about a text, as if it stood in the file. */
export async function lintRegexesOf(source, file) {
  const [{ messages }] = await eslint.lintText(source, { filePath: `${root}/${file}` });
  return messages;
}
