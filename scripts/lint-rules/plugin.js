// The rules of this workspace for oxlint, which read no types.
import { declaredImports } from './declared-imports.js';
import { layers } from './layers.js';
import { linearRegex } from './linear-regex.js';
import { namedExports } from './named-exports.js';
import { plainNames } from './plain-names.js';

export default {
  meta: { name: 'annex' },
  rules: {
    'declared-imports': declaredImports,
    layers,
    'linear-regex': linearRegex,
    'named-exports': namedExports,
    'plain-names': plainNames,
  },
};
