import { testAlone } from './tests.mjs';

testAlone('two');
