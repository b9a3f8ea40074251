// Rejects imports of packages that are not in a lower layer, and paths into other packages. Decision 0019 lists the layers.
import { dirname, join, resolve, sep } from 'node:path';
import { importVisitor, manifestOf, packageFolder, packageOf, readTags } from './packages.js';

const messages = {
  notBelow: '{{name}} is in layer {{layer}}, and this package in layer {{own}}: imports go to lower layers.',
  path: 'Import another package by its name.',
};

const tags = readTags();
/** NaN for files outside of packages. */
const layerOf = (name) => Number(/^layer:(\d+)/m.exec(tags.get(name)?.join('\n'))?.[1]);

export const layers = {
  meta: {
    type: 'problem',
    messages,
    schema: [{ type: 'object', properties: { allowed: { type: 'object' } }, additionalProperties: false }],
  },
  create(context) {
    const [{ allowed }] = context.options;
    const folder = dirname(context.filename);
    const { name: ownName } = manifestOf(folder);
    const own = layerOf(ownName);
    const inside = packageFolder(folder) + sep;
    // The scripts are no package: their tests are suites.
    const scripts = join(context.cwd, 'scripts') + sep;
    return importVisitor((node, specifier) => {
      if (specifier.startsWith('.')) {
        const path = resolve(folder, specifier) + sep;
        if (!path.startsWith(inside) && !path.startsWith(scripts))
          context.report({ node, messageId: 'path' });
        return;
      }
      const name = packageOf(specifier);
      if (Number.isNaN(own) || name === ownName || !tags.has(name) || tags.get(name).includes(allowed[own]))
        return;
      const layer = layerOf(name);
      if (!(layer < own)) context.report({ node, messageId: 'notBelow', data: { name, layer, own } });
    });
  },
};
