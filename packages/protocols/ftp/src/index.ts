export { ftp } from './plugin.js';
