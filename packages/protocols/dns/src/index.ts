export { dns } from './plugin.js';
