// Rejects names with words that the glossary replaces by terms of HTTP, X.509 and Kubernetes: see docs/glossary.md.

/** The words that names must not contain, and what to write instead. */
export const replacedWords = new Map([
  ['answer', 'response'],
  ['answers', 'responses'],
  ['answered', 'responded'],
  ['asked', 'requested'],
  ['complain', 'report'],
  ['complaint', 'error'],
  ['complaints', 'errors'],
  ['lately', 'recently'],
  ['meanwhile', 'concurrent'],
  ['mistake', 'error'],
  ['mistakes', 'errors'],
  ['pasts', 'historical reads'],
  ['told', 'notified'],
  ['wrong', 'invalid'],
]);

/** Member names of the recordings, which cannot be changed. */
const recordedNames = new Set(['wrongCA']);

const messages = { replaced: '`{{name}}`: write `{{instead}}` instead of `{{word}}`.' };

const wordsOf = (name) => name.match(/[A-Z]?[a-z]+/g) ?? [];

export const plainNames = {
  meta: { type: 'suggestion', messages, schema: [] },
  create(context) {
    const check = (node) => {
      if (recordedNames.has(node.name)) return;
      for (const part of wordsOf(node.name)) {
        const word = part.toLowerCase();
        const instead = replacedWords.get(word);
        if (instead !== undefined)
          context.report({ node, messageId: 'replaced', data: { name: node.name, word, instead } });
      }
    };
    const checkMember = ({ key, computed }) => {
      if (!computed && (key.type === 'Identifier' || key.type === 'PrivateIdentifier')) check(key);
    };
    return {
      TSPropertySignature: checkMember,
      TSMethodSignature: checkMember,
      PropertyDefinition: checkMember,
      MethodDefinition: checkMember,
      'Program:exit'() {
        for (const { variables } of context.sourceCode.scopeManager.scopes)
          for (const { defs } of variables)
            for (const { name, type } of defs) if (type !== 'ImportBinding' && name.name) check(name);
      },
    };
  },
};
