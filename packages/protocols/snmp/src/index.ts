export { snmp } from './plugin.js';
