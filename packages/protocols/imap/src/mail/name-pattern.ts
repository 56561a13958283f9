import { DELIMITER } from './mailbox-name.js';

const MAX_PATTERN = 1000;

/**
 * A pattern of LIST: `*` stands for anything, `%` for anything within one level (RFC 3501, section 6.3.8). Every name
 * costs at most its length times the pattern's.
 *
 * @returns `undefined` when the pattern is too long for any name
 */
export function compileNamePattern(pattern: string): ((name: string) => boolean) | undefined {
  // "*%" and "%*" are "*".
  const steps = pattern.replace(/[*%]*\*[*%]*/g, '*').replace(/%+/g, '%');
  return steps.length > MAX_PATTERN ? undefined : (name) => fits(steps, name);
}

/** Only the last `*`, and the last `%` behind it, ever have to stand for more than was tried first. */
function fits(steps: string, name: string): boolean {
  let place = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  let percent = -1;
  let percentAt = 0;
  while (at < name.length || place < steps.length) {
    const step = steps[place];
    if (step === '*') {
      star = place;
      starAt = at;
      percent = -1;
      place += 1;
    } else if (step === '%') {
      percent = place;
      percentAt = at;
      place += 1;
    } else if (step !== undefined && step === name[at]) {
      place += 1;
      at += 1;
    } else if (percent >= 0 && percentAt < name.length && name[percentAt] !== DELIMITER) {
      percentAt += 1;
      at = percentAt;
      place = percent + 1;
    } else if (star >= 0 && starAt < name.length) {
      starAt += 1;
      at = starAt;
      place = star + 1;
      percent = -1;
    } else return false;
  }
  return true;
}
