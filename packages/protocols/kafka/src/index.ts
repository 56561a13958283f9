export { kafka } from './plugin.js';
