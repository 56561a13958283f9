export { mqtt } from './plugin.js';
