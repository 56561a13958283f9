import { testAlone } from './tests.mjs';

testAlone('three');
