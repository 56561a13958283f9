export { tcp } from './plugin.js';
