/** Whether a text fits a pattern of Redis: `*`, `?`, `[a-z]`, `[^a]`, and a backslash before what is meant as it is. */
export function matchGlob(pattern: string, text: string): boolean {
  let at = 0;
  let place = 0;
  let starAt = -1;
  let starPlace = 0;
  while (place < text.length) {
    if (pattern[at] === '*') {
      starAt = at;
      starPlace = place;
      at += 1;
      continue;
    }
    const next = matchOne(pattern, at, text.charCodeAt(place));
    if (next >= 0) {
      at = next;
      place += 1;
    } else if (starAt >= 0) {
      // Only the last star needs to take more: this keeps the time below length times length.
      starPlace += 1;
      place = starPlace;
      at = starAt + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at >= pattern.length;
}

/** Where the pattern goes on when its element at `at` takes the character, else -1. */
function matchOne(pattern: string, at: number, code: number): number {
  const char = pattern[at];
  if (char === undefined) return -1;
  if (char === '?') return at + 1;
  if (char === '[') return matchClass(pattern, at + 1, code);
  const plain = char === '\\' && at + 1 < pattern.length ? at + 1 : at;
  return pattern.charCodeAt(plain) === code ? plain + 1 : -1;
}

function matchClass(pattern: string, start: number, code: number): number {
  let at = start;
  const isNot = pattern[at] === '^';
  if (isNot) at += 1;
  let found = false;
  for (; at < pattern.length && pattern[at] !== ']'; at += 1) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) {
      at += 1;
      found ||= pattern.charCodeAt(at) === code;
    } else if (pattern[at + 1] === '-' && at + 2 < pattern.length) {
      const [one, two] = [pattern.charCodeAt(at), pattern.charCodeAt(at + 2)];
      found ||= code >= Math.min(one, two) && code <= Math.max(one, two);
      at += 2;
    } else found ||= pattern.charCodeAt(at) === code;
  }
  return found === isNot ? -1 : Math.min(at + 1, pattern.length);
}
