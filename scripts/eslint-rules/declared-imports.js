// Rejects imports that the package.json of the importing package does not declare. knip reports the opposite: declared, but never imported.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ESLintUtils } from '@typescript-eslint/utils';

const messages = {
  undeclared: '{{name}} is not in "{{section}}" of the package.json of this package.',
};

const manifests = new Map();

/** Returns the package.json of the package that contains a folder. */
function manifestOf(folder) {
  const known = manifests.get(folder);
  if (known !== undefined) return known;
  const file = join(folder, 'package.json');
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : manifestOf(dirname(folder));
  manifests.set(folder, manifest);
  return manifest;
}

/** Returns the package of an import; undefined for files and for modules of Node. */
function packageOf(specifier) {
  if (/^(?:\.|node:)/.test(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export const declaredImports = ESLintUtils.RuleCreator.withoutDocs({
  meta: {
    type: 'problem',
    messages,
    schema: [{ type: 'object', properties: { dev: { type: 'boolean' } }, additionalProperties: false }],
  },
  defaultOptions: [{ dev: false }],
  create(context, [{ dev }]) {
    const own = manifestOf(dirname(context.filename));
    // The tools of the workspace, such as vitest, are declared in its root.
    const declared = { ...own.dependencies };
    if (dev) Object.assign(declared, own.devDependencies, manifestOf(context.cwd).devDependencies);
    const check = ({ source: node }) => {
      const name = typeof node?.value === 'string' ? packageOf(node.value) : undefined;
      if (name === undefined || name === own.name || Object.hasOwn(declared, name)) return;
      const section = dev ? 'devDependencies' : 'dependencies';
      context.report({ node, messageId: 'undeclared', data: { name, section } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
});
