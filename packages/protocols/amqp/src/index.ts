export { amqp } from './plugin.js';
