export { imap } from './plugin.js';
