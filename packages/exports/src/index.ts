export { exporters } from './exporters.js';
