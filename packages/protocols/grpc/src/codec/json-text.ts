import { endOfJsonString } from '@backlot/core/plugin';
import { FieldError } from './field-error.js';
import { MAX_VALUES, TooManyValues } from './decode.js';

/** How deep lists and objects may be nested; a message in a list takes two of them. */
const MAX_BRACKETS = 200;

/**
 * The value of a JSON text, which is looked at first: what holds too much is not parsed.
 *
 * @throws FieldError when it is no JSON, or is nested too deep
 * @throws TooManyValues when it holds more than {@link MAX_VALUES}
 */
export function parseBounded(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  checkShape(text);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new FieldError(`is no JSON: ${(thrown as Error).message}`);
  }
}

/** Looks at what stands outside of strings alone, so that it takes any text. */
function checkShape(text: string): void {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 34: // "
        index = endOfJsonString(text, index);
        break;
      case 44: // ,
        values += 1;
        break;
      case 91: // [
      case 123: // {
        depth += 1;
        values += 1;
        if (depth > MAX_BRACKETS)
          throw new FieldError(`is nested deeper than ${MAX_BRACKETS} lists and objects`);
        break;
      case 93: // ]
      case 125: // }
        depth -= 1;
        break;
    }
    if (values > MAX_VALUES) throw new TooManyValues();
  }
}
