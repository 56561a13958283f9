/** Values between two offers to let others in. */
const STEP = 500;

/** Writes JSON as steps between which others may be let in. */
export function* writeJson(value: unknown): Generator<undefined, string> {
  const parts: string[] = [];
  let count = 0;
  yield* write(value);
  return parts.join('');

  function* write(each: unknown): Generator<undefined, void> {
    count += 1;
    if (count % STEP === 0) yield;
    if (Array.isArray(each)) {
      parts.push('[');
      for (let index = 0; index < each.length; index += 1) {
        if (index > 0) parts.push(',');
        yield* writeOne(each[index] as unknown);
      }
      parts.push(']');
    } else if (typeof each === 'object' && each !== null) {
      let separator = '{';
      for (const [key, inner] of Object.entries(each)) {
        if (inner === undefined) continue;
        parts.push(separator, JSON.stringify(key), ':');
        separator = ',';
        yield* writeOne(inner as unknown);
      }
      parts.push(separator === '{' ? '{}' : '}');
    } else writeLeaf(each);
  }

  function* writeOne(each: unknown): Generator<undefined, void> {
    // Most values are leaves, for which a generator each would cost more than the value.
    if (typeof each === 'object' && each !== null) yield* write(each);
    else writeLeaf(each);
  }

  function writeLeaf(each: unknown): void {
    count += 1;
    parts.push(JSON.stringify(each) ?? 'null');
  }
}
