/**
 * `v3_users` is `V3Users`.
 *
 * @param {string} text
 */
export function pascal(text) {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/**
 * One of a list: `entries` is `entry`, `sequence` is `sequence_item`.
 *
 * @param {string} key
 */
export function oneOf(key) {
  if (/ies$/.test(key)) return key.replace(/ies$/, 'y');
  if (/(ss|x|ch|sh)es$/.test(key)) return key.slice(0, -2);
  return /[^s]s$/.test(key) ? key.slice(0, -1) : `${key}_item`;
}
