import { DELIMITER } from './mailbox-name.js';

const MOST_PATTERN = 1000;

/**
 * A pattern of LIST: `*` stands for anything, `%` for anything within one level (RFC 3501, section 6.3.8). Every name
 * costs at most its length times the pattern's.
 *
 * @returns `undefined` when the pattern is too long for any name
 */
export function compileNamePattern(pattern: string): ((name: string) => boolean) | undefined {
  // "*%" and "%*" are "*": without runs of wildcards there are few places to be at.
  const steps = pattern.replace(/[*%]*\*[*%]*/g, '*').replace(/%+/g, '%');
  if (steps.length > MOST_PATTERN) return undefined;
  return (name) => {
    let places = new Set(reach(steps, 0));
    for (const character of name) {
      const next = new Set<number>();
      for (const place of places) {
        const step = steps[place];
        const isStay = step === '*' || (step === '%' && character !== DELIMITER);
        if (isStay) for (const to of reach(steps, place)) next.add(to);
        else if (step === character) for (const to of reach(steps, place + 1)) next.add(to);
      }
      places = next;
      if (places.size === 0) return false;
    }
    return places.has(steps.length);
  };
}

/** A place in the pattern, and the one behind it when a wildcard there may stand for nothing. */
function reach(steps: string, place: number): readonly number[] {
  const step = steps[place];
  return step === '*' || step === '%' ? [place, place + 1] : [place];
}
