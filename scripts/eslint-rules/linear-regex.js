// Rejects regular expressions that may take more than linear time, and those with a source that the lint cannot determine. Decision 0015
// lists the alternatives.
import { ASTUtils, ESLintUtils } from '@typescript-eslint/utils';
import { verdictOf } from '../regex-verdicts.mjs';

const messages = {
  slow: '{{regex}} {{problem}}',
  unjudged: '{{regex}} has no verdict: run node scripts/judge-regexes.mjs, and commit its output.',
  built: 'The lint cannot judge an expression that is built from values: use constants, a loop, or RE2JS.',
};

/** The string methods that compile a string to an expression. */
const searches = new Set(['match', 'matchAll', 'search']);

export const linearRegex = ESLintUtils.RuleCreator.withoutDocs({
  meta: { type: 'problem', messages, schema: [] },
  defaultOptions: [],
  create(context) {
    const judge = (node, source, flags) => {
      const problem = verdictOf(source, flags);
      if (problem === null) return;
      const messageId = problem === undefined ? 'unjudged' : 'slow';
      context.report({ node, messageId, data: { regex: `/${source}/${flags}`, problem } });
    };
    const judgeBuilt = (node, source, flags) => {
      const scope = context.sourceCode.getScope(node);
      const [pattern, letters] = [source, flags].map((part) => part && ASTUtils.getStaticValue(part, scope));
      if (pattern?.value instanceof RegExp) judge(node, pattern.value.source, pattern.value.flags);
      else if (typeof pattern?.value !== 'string' || (flags && typeof letters?.value !== 'string'))
        context.report({ node, messageId: 'built' });
      else judge(node, pattern.value, letters?.value ?? '');
    };
    const constructed = (node) => {
      const isRegExp = node.callee.type === 'Identifier' && node.callee.name === 'RegExp';
      if (isRegExp) judgeBuilt(node, ...node.arguments);
    };
    return {
      Literal(node) {
        if ('regex' in node) judge(node, node.regex.pattern, node.regex.flags);
      },
      NewExpression: constructed,
      CallExpression(node) {
        constructed(node);
        const [searched] = node.arguments;
        const name = ASTUtils.getPropertyName(node.callee, context.sourceCode.getScope(node));
        const isText = searched?.type === 'TemplateLiteral' || typeof searched?.value === 'string';
        if (node.callee.type === 'MemberExpression' && searches.has(name) && isText)
          judgeBuilt(node, searched);
      },
    };
  },
});
