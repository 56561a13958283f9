export { redis } from './plugin.js';
