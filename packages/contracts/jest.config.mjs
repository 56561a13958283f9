import { jestConfig } from '@backlot/tooling/jest';

export default jestConfig();
