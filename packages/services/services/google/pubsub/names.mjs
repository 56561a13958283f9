import { invalid } from './errors.mjs';

const NAME = /^projects\/[^/]+\/(topics|subscriptions)\/([A-Za-z][\w.~+%-]{2,254})$/;
const MOST = 1000;

/** Checks the name of a topic or a subscription. @param kind - `topics` or `subscriptions` */
export function checkName(name = '', kind) {
  const found = NAME.exec(name);
  if (found === null || found[1] !== kind || found[2].startsWith('goog'))
    throw invalid(
      `Invalid resource name given (name=${name}): projects/PROJECT/${kind}/NAME would be right, where NAME begins with a letter, has 3 to 255 letters, digits and -._~+%, and does not begin with goog.`,
    );
  return name;
}

/**
 * One page of rows, by their name.
 *
 * @throws PubsubError for a token that no answer had
 */
export function pageOf(rows, { page_size: size = 0, page_token: token = '' }) {
  if (size < 0) throw invalid(`The page size is ${size}: 0 or more would be right.`);
  const most = size === 0 ? MOST : Math.min(size, MOST);
  const after = Buffer.from(token, 'base64url').toString();
  if (token !== '' && !after.startsWith('projects/')) throw invalid(`Invalid page token (token=${token}).`);
  const rest = rows
    .filter(({ name }) => name > after)
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  const page = rest.slice(0, most);
  const next = rest.length > most ? Buffer.from(page.at(-1).name).toString('base64url') : '';
  return { page, next };
}

/** The rows of a project. */
export function ofProject(rows, project = '') {
  if (!/^projects\/[^/]+$/.test(project))
    throw invalid(`Invalid project given (project=${project}): projects/PROJECT would be right.`);
  return rows.list().filter(({ name }) => name.startsWith(`${project}/`));
}

/**
 * The fields that an update is for, by their names in the schema.
 *
 * @param mutable - those that can be changed
 */
export function fieldsOf(mask = '', mutable) {
  if (mask === '') throw invalid('The update_mask in the request must be set, and must contain a field.');
  return mask.split(',').map((path) => {
    const name = path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (!mutable.includes(name))
      throw invalid(
        `Invalid update_mask provided in the request: ${name} is not one of ${mutable.join(', ')}.`,
      );
    return name;
  });
}

/** Checks a duration. @param most - in seconds, as `least` */
export function checkDuration(name, text, { least, most }) {
  if (text === undefined) return;
  const seconds = Number.parseFloat(text);
  if (!(seconds >= least && seconds <= most))
    throw invalid(`${name} is ${text}: ${least}s to ${most}s would be right.`);
}

export function checkLabels(labels = {}) {
  const names = Object.keys(labels);
  if (names.length > 64) throw invalid(`There are ${names.length} labels: 64 at most would be right.`);
  for (const [name, value] of Object.entries(labels))
    if (
      !/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(name) ||
      !/^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u.test(value)
    )
      throw invalid(
        `Invalid label ${name}=${value}: lower-case letters, digits, - and _ would be right, 63 at most.`,
      );
}
