import { eslintConfig } from '@backlot/tooling/eslint';

/** All packages in one run, with their types in one program: a third of the time of a run for each. */
export default eslintConfig(import.meta.dirname, {
  project: 'tsconfig.all.json',
  except: ['examples/testing/**', 'packages/ui/web/**'],
});
