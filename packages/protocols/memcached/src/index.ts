export { memcached } from './plugin.js';
