export { http } from './plugin.js';
