export { smtp } from './plugin.js';
