import { jestConfig } from '@backlot/tooling/jest';

export default jestConfig({ testPathIgnorePatterns: ['<rootDir>/test/packed/', '<rootDir>/test/docs/'] });
