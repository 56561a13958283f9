import { messageOf } from '../errors.js';
import { onFirstUse } from './library.js';
import { measureXml } from './xml-size.js';
import { copyTree, type XmlDocument } from './xml-tree.js';

export type { XmlDocument, XmlElement, XmlNode } from './xml-tree.js';

/** The parts of the library @xmldom/xmldom that are used. */
interface Xmldom {
  readonly DOMParser: new (options: {
    locator: boolean;
    onError: (level: 'warning' | 'error' | 'fatalError', message: string) => void;
  }) => { parseFromString(source: string, type: 'text/xml'): unknown };
}

/** Steps of parsing an element, an attribute or the like, and a character. */
const NODE = 60;
const CHARACTER = 0.05;

const library = onFirstUse<Xmldom>('@xmldom/xmldom');

/** What a text is as XML: a document, or why it is none; and the steps it took, each about a tenth of a microsecond. */
export type ParsedXml =
  | { readonly document: XmlDocument; readonly problem: undefined; readonly work: number }
  | { readonly document: undefined; readonly problem: string; readonly work: number };

/**
 * Parses a text as XML 1.0 with namespaces. What would take long is refused before it is parsed: elements nested deeper
 * than 200 levels, and more than 5,000 elements and attributes, which take
 * near 30 ms. A document type declaration with
 * entities of its own (XML 1.0, section 2.8) is refused too, one without is passed over; nothing is ever fetched.
 *
 * @returns why it is no XML, or none that is taken, in words that continue "the body ..."
 */
export function parseXml(text: string): ParsedXml {
  const measured = measureXml(text);
  const work = measured.nodes * NODE + text.length * CHARACTER;
  if (measured.problem !== undefined) return { document: undefined, problem: measured.problem, work };
  const parser = new (library().DOMParser)({
    locator: false,
    // What the library warns of is not well-formed either, such as an attribute without quotes.
    onError(_level, message) {
      throw new Error(message);
    },
  });
  try {
    const parsed = parser.parseFromString(measured.text, 'text/xml');
    return { document: copyTree(parsed, text.length), problem: undefined, work };
  } catch (thrown) {
    return { document: undefined, problem: `is no XML: ${firstLine(messageOf(thrown))}`, work };
  }
}

function firstLine(message: string): string {
  const [line = ''] = message.split(/\r?\n/);
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
