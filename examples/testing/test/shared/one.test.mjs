import { testAlone } from './tests.mjs';

testAlone('one');
