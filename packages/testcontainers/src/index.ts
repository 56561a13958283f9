export { BacklotContainer } from './backlot-container.js';
export { StartedBacklotContainer } from './started-backlot-container.js';
