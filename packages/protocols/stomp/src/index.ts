export { stomp } from './plugin.js';
