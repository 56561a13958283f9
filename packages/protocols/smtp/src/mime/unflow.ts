const LINES = 10_000;

/**
 * Joins the lines of `format=flowed` (RFC 3676, 4) to paragraphs. Yields now and then, see `runInSlices`.
 *
 * @param deletesSpace - the parameter `delsp`: the space in front of a soft line break is none of the text
 */
export function* unflow(text: string, deletesSpace: boolean): Generator<undefined, string> {
  let done = '';
  let pieces: string[] = [];
  let isFlowing = false;
  let count = 0;
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    // What is stuffed with a space would have been taken for something else.
    const line = text.slice(text[at] === ' ' ? at + 1 : at, Math.max(stop, at));
    if (at > 0 && !isFlowing) pieces.push('\n');
    isFlowing = line.endsWith(' ') && line !== '-- ' && end >= 0;
    pieces.push(isFlowing && deletesSpace ? line.slice(0, -1) : line);
    at = stop + 1;
    count += 1;
    if (count % LINES === 0) {
      done += pieces.join('');
      pieces = [];
      yield;
    }
  }
  return done + pieces.join('');
}
