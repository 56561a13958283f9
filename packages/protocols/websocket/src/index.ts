export { websocket } from './plugin.js';
