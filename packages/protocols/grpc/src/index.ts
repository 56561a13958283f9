export { grpc } from './plugin.js';
