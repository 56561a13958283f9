export { coap } from './plugin.js';
