import { defineBuild } from '@backlot/tooling/tsup';

export default defineBuild({
  entry: [
    'src/index.ts',
    'src/jest.ts',
    'src/vitest.ts',
    'src/playwright.ts',
    'src/cypress.ts',
    'src/cypress-node.ts',
  ],
});
