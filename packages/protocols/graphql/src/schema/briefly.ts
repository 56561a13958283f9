/** Values that are looked at. */
const MAX_VALUES = 100;
/** Characters of a text that are looked at. */
const MAX_TEXT = 100;

/** A text that tells values apart by their beginning, however large they are: arguments are as large as a body may be. */
export function briefly(value: unknown): string {
  let left = MAX_VALUES;
  return write(value);

  function write(each: unknown): string {
    left -= 1;
    if (typeof each === 'string') return JSON.stringify(each.slice(0, MAX_TEXT));
    if (typeof each !== 'object' || each === null) return String(each);
    const parts: string[] = [];
    if (Array.isArray(each)) {
      for (const item of each) {
        if (left <= 0) break;
        parts.push(write(item));
      }
      return `[${parts.join()}]`;
    }
    for (const key in each) {
      if (left <= 0) break;
      parts.push(`${key.slice(0, MAX_TEXT)}:${write((each as Record<string, unknown>)[key])}`);
    }
    return `{${parts.join()}}`;
  }
}
