export { sip } from './plugin.js';
