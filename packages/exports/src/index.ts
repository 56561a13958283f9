export { exporters } from './exporters.js';
export { ConfigurationParts } from './flight/configuration.js';
export type { FlightHeader, FlightKind, FlightLine } from './flight/format.js';
export { readFlight } from './flight/read-flight.js';
export { restoreFlight } from './flight/restore-flight.js';
export { saveFlight, type SaveOptions } from './flight/write-flight.js';
