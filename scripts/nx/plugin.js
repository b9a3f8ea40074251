// Creates the targets of every package: a folder with a project.json is enough. nx.json configures the targets.
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const targets = (root, folder) => ({
  lint: {},
  typecheck: {},
  ...(globSync('src/**/*.test.ts', { cwd: join(root, folder) }).length > 0 ? { test: {} } : {}),
});

export const createNodesV2 = [
  '{{libs,apps,examples}/*,bench,conformance,fuzz}/project.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => {
      const root = dirname(file);
      return [file, { projects: { [root]: { root, targets: targets(workspaceRoot, root) } } }];
    }),
];
