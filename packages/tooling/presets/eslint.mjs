import tseslint from 'typescript-eslint';

const TIME_AND_CHANCE =
  'time, chance and the environment come from the host (context.clock, context.random) or from the timers of the kit';

const GLOBALS = ['setTimeout', 'setInterval', 'setImmediate'];
const PROPERTIES = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['process', 'env'],
  ['performance', 'now'],
  ['globalThis', 'setTimeout'],
  ['globalThis', 'setInterval'],
];

/** The sources in which time and chance must come from the host. */
const HOSTED = ['packages/{core,management,webhooks}/src/**/*.ts', 'packages/protocols/*/src/**/*.ts'];
/** Where they are turned into what the others get. */
const SOURCES_OF_TIME = [
  '**/src/**/clock*',
  '**/src/**/clock*/**',
  '**/src/**/random*',
  '**/src/**/random*/**',
  'packages/core/src/time/slices.ts',
];

/**
 * The rules of the house, for the whole workspace.
 *
 * @param {string} root the folder of the configuration
 * @param {{ project: string, except: string[] }} [whole] one program for all files, which reads what they share once, and the
 * files that are not part of it; by default each package is a program of its own
 * @returns {import('eslint').Linter.Config[]}
 */
export function eslintConfig(root, whole) {
  return /** @type {import('eslint').Linter.Config[]} */ (
    tseslint.config(
      {
        ignores: [
          '**/dist/',
          '**/coverage/',
          '**/node_modules/',
          '**/.turbo/',
          'packages/tooling/template/',
          'apps/*/template/',
        ],
      },
      { linterOptions: { reportUnusedDisableDirectives: 'error' } },
      {
        files: ['**/*.ts', '**/*.tsx'],
        extends: [tseslint.configs.recommendedTypeChecked],
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
        rules: {
          '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
          // `import { type A }` alone would still load the module.
          '@typescript-eslint/no-import-type-side-effects': 'error',
          '@typescript-eslint/no-unused-vars': [
            'error',
            { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
          ],
          '@typescript-eslint/prefer-promise-reject-errors': 'off',
          '@typescript-eslint/require-await': 'off',
          '@typescript-eslint/restrict-template-expressions': [
            'error',
            { allowNumber: true, allowBoolean: true },
          ],
          '@typescript-eslint/switch-exhaustiveness-check': [
            'error',
            { considerDefaultExhaustiveForUnions: true },
          ],
          '@typescript-eslint/no-shadow': 'error',
          eqeqeq: 'error',
          'no-console': 'error',
          'prefer-const': 'error',
        },
      },
      ...(whole === undefined
        ? []
        : [
            {
              files: ['**/*.ts'],
              ignores: whole.except,
              languageOptions: { parserOptions: { projectService: false, project: [whole.project] } },
            },
          ]),
      {
        files: ['**/src/**/*.ts'],
        rules: {
          '@typescript-eslint/no-non-null-assertion': 'error',
          'no-restricted-syntax': [
            'error',
            {
              selector: 'ExportDefaultDeclaration',
              message: 'export by name, so that the name is the same everywhere',
            },
            {
              selector: 'ExportAllDeclaration',
              message: 'spell every export, so that a change of the public names shows',
            },
          ],
        },
      },
      {
        files: HOSTED,
        ignores: SOURCES_OF_TIME,
        rules: {
          'no-restricted-globals': ['error', ...GLOBALS.map((name) => ({ name, message: TIME_AND_CHANCE }))],
          'no-restricted-properties': [
            'error',
            ...PROPERTIES.map(([object, property]) => ({ object, property, message: TIME_AND_CHANCE })),
          ],
          'no-restricted-imports': [
            'error',
            { paths: ['node:timers', 'node:timers/promises', 'timers', 'timers/promises'] },
          ],
        },
      },
      {
        files: ['**/test/**/*.ts'],
        rules: {
          '@typescript-eslint/no-shadow': 'off',
          '@typescript-eslint/no-unsafe-argument': 'off',
          '@typescript-eslint/no-unsafe-assignment': 'off',
          '@typescript-eslint/no-unsafe-call': 'off',
          '@typescript-eslint/no-unsafe-member-access': 'off',
          '@typescript-eslint/no-unsafe-return': 'off',
          '@typescript-eslint/unbound-method': 'off',
        },
      },
      // The command line talks to its terminal.
      { files: ['apps/*/src/**/*.ts'], rules: { 'no-console': 'off' } },
      {
        files: ['**/*.mjs', '**/*.js'],
        extends: [tseslint.configs.base],
        rules: { 'no-undef': 'off', 'prefer-const': 'error', eqeqeq: 'error' },
      },
    )
  );
}
