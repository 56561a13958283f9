import { jestConfig } from '@backlot/tooling/jest';

export default jestConfig({ testMatch: ['<rootDir>/{test,services/*/test}/**/*.test.ts'] });
