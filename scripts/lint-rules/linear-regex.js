// Rejects regular expressions that may take more than linear time, and those with a source that the lint cannot determine. Decision 0015
// lists the alternatives.
import { unjudgedError, verdictOf } from '../regex-verdicts.mjs';
import { staticText } from './static-text.js';

const built =
  'The lint cannot judge an expression that is built from values: use constants, a loop, or RE2JS.';

/** The string methods that compile a string to an expression. */
const searches = new Set(['match', 'matchAll', 'search']);

export const linearRegex = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const judge = (node, source, flags) => {
      const problem = verdictOf(source, flags);
      if (problem === null) return;
      const message = problem === undefined ? unjudgedError(source, flags) : `/${source}/${flags} ${problem}`;
      context.report({ node, message });
    };
    const judgeBuilt = (node, source, flags) => {
      if (source?.regex) return;
      const scope = context.sourceCode.getScope(node);
      const [pattern, letters] = [source, flags].map((part) => part && staticText(part, scope));
      if (pattern === undefined || (flags && letters === undefined)) context.report({ node, message: built });
      else judge(node, pattern, letters ?? '');
    };
    const constructed = (node) => {
      const isRegExp = node.callee.type === 'Identifier' && node.callee.name === 'RegExp';
      if (isRegExp) judgeBuilt(node, ...node.arguments);
    };
    return {
      Literal(node) {
        if (node.regex) judge(node, node.regex.pattern, node.regex.flags);
      },
      NewExpression: constructed,
      CallExpression(node) {
        constructed(node);
        const {
          callee,
          arguments: [searched],
        } = node;
        if (callee.type !== 'MemberExpression' || callee.computed || !searches.has(callee.property.name))
          return;
        const isText = searched?.type === 'TemplateLiteral' || typeof searched?.value === 'string';
        if (isText) judgeBuilt(node, searched);
      },
    };
  },
};
