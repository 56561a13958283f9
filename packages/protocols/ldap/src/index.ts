export { ldap } from './plugin.js';
