// Rejects imports that the package.json of the importing package does not declare. knip reports the opposite: declared, but never imported.
import { dirname } from 'node:path';
import { importVisitor, manifestOf, packageOf } from './packages.js';

const messages = {
  undeclared: '{{name}} is not in "{{section}}" of the package.json of this package.',
};

export const declaredImports = {
  meta: {
    type: 'problem',
    messages,
    schema: [{ type: 'object', properties: { dev: { type: 'boolean' } }, additionalProperties: false }],
  },
  create(context) {
    const [{ dev = false } = {}] = context.options;
    const own = manifestOf(dirname(context.filename));
    // The tools of the workspace, such as vitest, are declared in its root.
    const declared = { ...own.dependencies };
    if (dev) Object.assign(declared, own.devDependencies, manifestOf(context.cwd).devDependencies);
    return importVisitor((node, specifier) => {
      const name = packageOf(specifier);
      if (name === undefined || name === own.name || Object.hasOwn(declared, name)) return;
      const section = dev ? 'devDependencies' : 'dependencies';
      context.report({ node, messageId: 'undeclared', data: { name, section } });
    });
  },
};
