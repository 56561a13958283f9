/**
 * Joins the lines of `format=flowed` (RFC 3676, 4) to paragraphs. Yields now and then, see `runInSlices`.
 *
 * @param pieces - the text in pieces, each short enough to be done at once
 * @param deletesSpace - the parameter `delsp`: the space in front of a soft line break is none of the text
 * @returns what came of it, in pieces as well
 */
export function* unflow(
  pieces: readonly string[],
  deletesSpace: boolean,
): Generator<undefined, readonly string[]> {
  const done: string[] = [];
  let made: string[] = [];
  /** The beginning of a line that ends in a later piece. */
  let begun = '';
  let isFirst = true;
  let isFlowing = false;
  const take = (written: string, isEnded: boolean): void => {
    // What is stuffed with a space would have been taken for something else.
    const line = written.startsWith(' ') ? written.slice(1) : written;
    if (!isFirst && !isFlowing) made.push('\n');
    isFirst = false;
    isFlowing = isEnded && line.endsWith(' ') && line !== '-- ';
    made.push(isFlowing && deletesSpace ? line.slice(0, -1) : line);
  };
  for (const piece of pieces) {
    let at = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', at)) {
      take(begun + piece.slice(at, end), true);
      begun = '';
      at = end + 1;
    }
    begun += piece.slice(at);
    done.push(made.join(''));
    made = [];
    yield;
  }
  take(begun, false);
  done.push(made.join(''));
  return done;
}
