/** A list of JSON as pieces: each value is made when it is asked for. */
export function* listPieces(
  values: Iterable<unknown>,
  { before, after }: { readonly before: string; readonly after: string },
): Generator<string | undefined, void, undefined> {
  let isFirst = true;
  for (const value of values) {
    // Nothing where others may be let in.
    if (value === undefined) {
      yield undefined;
      continue;
    }
    // Not before the first value: making it may find that there is nothing to write.
    yield `${isFirst ? before : ','}\n${JSON.stringify(value, null, 2)}`;
    isFirst = false;
  }
  yield isFirst ? before + after : after;
}
