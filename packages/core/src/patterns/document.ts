import { parseXml, type ParsedXml } from '../values/xml.js';
import { parseJson } from './parse-json.js';

/** A text of a message with what was made of it, each thing once. */
export class ParsedText {
  readonly text: string;
  #json: readonly [] | readonly [unknown] | undefined;
  #xml: ParsedXml | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** A list with the value of the text, which may be `null`; an empty list when it is not JSON. */
  get json(): readonly [] | readonly [unknown] {
    return (this.#json ??= parseJson(this.text));
  }

  /** The document that the text is, or why it is none. */
  get xml(): ParsedXml {
    return (this.#xml ??= parseXml(this.text));
  }
}

/** How many texts are known at once: the patterns of one message look at its body, and perhaps at a few values in it. */
const SLOTS = 8;

/**
 * The newest texts. A weak reference holds for as long as the event loop's turn in which it was made or read: in one turn
 * all mocks look at one message, and afterwards nothing is kept.
 */
const known: (WeakRef<ParsedText> | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);
let next = 0;

/** A text with what is made of it; parsed once however many mocks look at it in one turn of the event loop. */
export function parsedText(text: string): ParsedText {
  for (const reference of known) {
    const found = reference?.deref();
    if (found?.text === text) return found;
  }
  const made = new ParsedText(text);
  known[next] = new WeakRef(made);
  next = (next + 1) % SLOTS;
  return made;
}
