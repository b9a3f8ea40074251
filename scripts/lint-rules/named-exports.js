// Rejects exports without names: readers search for the name that they import.
const messages = { unnamed: 'Name what you export.', all: 'List what you export.' };

export const namedExports = {
  meta: { type: 'suggestion', messages, schema: [] },
  create: (context) => ({
    ExportDefaultDeclaration: (node) => context.report({ node, messageId: 'unnamed' }),
    ExportAllDeclaration: (node) => context.report({ node, messageId: 'all' }),
  }),
};
