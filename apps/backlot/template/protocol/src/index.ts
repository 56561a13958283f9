export { __kind__ } from './plugin.js';
