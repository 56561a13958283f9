import { eslintConfig } from '@backlot/tooling/eslint';

export default eslintConfig(import.meta.dirname);
