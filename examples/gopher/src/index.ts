export { gopher } from './plugin.js';
