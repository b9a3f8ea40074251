import tseslint from 'typescript-eslint';
import { declaredImports } from './scripts/eslint-rules/declared-imports.js';
import { layers } from './scripts/eslint-rules/layers.js';
import { linearRegex } from './scripts/eslint-rules/linear-regex.js';
import { noInheritedKeys } from './scripts/eslint-rules/no-inherited-keys.js';
import { plainNames } from './scripts/eslint-rules/plain-names.js';

/** Imports go strictly down; the pairs of siblings are schema -> cel, and tests of layer 0 -> testkit. */
const fromSchema = { 1: 'allow:schema' };

const testkitsOnly = ['@annex/testkit', '@annex/app-testkit'].map((name) => ({
  name,
  message: 'The test kits are for tests only.',
}));
const annex = {
  rules: {
    'declared-imports': declaredImports,
    layers,
    'linear-regex': linearRegex,
    'no-inherited-keys': noInheritedKeys,
    'plain-names': plainNames,
  },
};

/** Files that input never reaches. */
const testFiles = ['**/*.test.ts', '**/*.contract.ts', '**/*.fixture.ts', '**/*.fuzz.ts', '**/*.e2e.ts'];
const testPackages = [
  'apps/e2e/**',
  'libs/testkit/**',
  'libs/app-testkit/**',
  'libs/cel/src/specification/**',
];
const noHttp = {
  name: 'node:http',
  allowTypeImports: true,
  message: 'Its import loads what nobody needs: use nodeHttp of @annex/runtime.',
};
const indexOnly = { group: ['@annex/*/*'], message: 'The only entry of a package is its index.' };

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.nx/**',
      '.annex/**',
      '.cache/**',
      'dist/**',
      'conformance/recordings/**',
      'conformance/scheduler/**',
      'conformance/kubectl/**',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { annex },
    rules: {
      'annex/plain-names': 'error',
      'annex/layers': ['error', { allowed: fromSchema }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
        { selector: 'ExportAllDeclaration', message: 'List what you export.' },
      ],
      'no-restricted-imports': ['error', { paths: testkitsOnly, patterns: [indexOnly] }],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: [noHttp] }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
    },
  },
  {
    files: ['{libs,apps,examples,bench,conformance,fuzz}/**/*.ts'],
    plugins: { annex },
    rules: { 'annex/declared-imports': 'error' },
  },
  {
    files: [...testFiles, ...testPackages, 'bench/**', 'conformance/**', 'fuzz/**'],
    plugins: { annex },
    rules: { 'annex/declared-imports': ['error', { dev: true }] },
  },
  {
    // Decision 0014. The rule reads types, so that it runs over what input reaches only, in a program without tests.
    files: ['libs/**/*.ts', 'apps/**/*.ts'],
    ignores: [...testFiles, ...testPackages],
    languageOptions: {
      parserOptions: { project: './tsconfig.types.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { annex },
    rules: { 'annex/no-inherited-keys': 'error' },
  },
  {
    // Decision 0015.
    files: ['libs/**/*.ts', 'apps/**/*.ts', 'examples/**/*.ts'],
    ignores: [...testFiles, ...testPackages],
    plugins: { annex },
    rules: { 'annex/linear-regex': 'error' },
  },
  {
    // Decision 0015 names the expressions of these files.
    files: ['libs/http/src/header-name-test.ts', 'libs/cel/src/syntax/lexer.ts'],
    rules: { 'annex/linear-regex': 'off' },
  },
  {
    files: [...testFiles, 'apps/e2e/**', 'conformance/**', 'vitest.config.ts', 'bench/**', 'fuzz/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [indexOnly] }],
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': 'off',
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-restricted-imports': 'off',
    },
  },
  {
    files: ['**/*.test.ts', '**/*.fuzz.ts'],
    rules: { 'annex/layers': ['error', { allowed: { ...fromSchema, 0: 'allow:tests' } }] },
  },
  {
    // Files of users' projects: they import published packages, and are in no TypeScript project of this repository.
    files: ['apps/create-annex/data/**', 'apps/e2e/registry/**'],
    languageOptions: { parserOptions: { project: null } },
    rules: {
      'annex/declared-imports': 'off',
      'annex/no-inherited-keys': 'off',
      'annex/layers': 'off',
    },
  },
);
