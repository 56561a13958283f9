/** The version of memcached whose commands are answered. */
export const VERSION = '1.6.18';
