export { nats } from './plugin.js';
