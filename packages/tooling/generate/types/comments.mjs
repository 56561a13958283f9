const WIDTH = 100;

/**
 * A TSDoc comment, in one line where it fits.
 *
 * @param {string | undefined} text
 * @param {unknown} [standard] what counts when nothing is given
 * @returns {string} with a line break at its end; empty when there is nothing to say
 */
export function tsdoc(text, standard) {
  const lines = text === undefined ? [] : wrap(escape(text));
  if (standard !== undefined) {
    if (lines.length > 0) lines.push('');
    lines.push(`@defaultValue \`${escape(JSON.stringify(standard))}\``);
  }
  const [only] = lines;
  if (only === undefined) return '';
  if (lines.length === 1) return `/** ${only} */\n`;
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */', ''].join('\n');
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('*/', '*\\/');
}

/** @param {string} text */
function wrap(text) {
  /** @type {string[]} */
  const lines = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
