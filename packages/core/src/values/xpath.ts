import { invalid, messageOf } from '../errors.js';
import { onFirstUse } from './library.js';
import { TooMuchWork, type Found } from './work-meter.js';
import type { XmlDocument } from './xml.js';
import { textOfNode, TreeNode, xmlMeter } from './xml-tree.js';

/** The parts of the library xpath that are used. */
interface XpathLibrary {
  parse(source: string): { evaluate(options: object): Result };
  readonly XNodeSet: { readonly prototype: NodeSet };
  readonly XNumber: { readonly prototype: { numberFormat: RegExp } };
  readonly XBoolean: new () => Result;
}

interface Result {
  readonly nodes?: readonly TreeNode[];
  toArray?(): TreeNode[];
  stringValue(): string;
  numberValue(): number;
  booleanValue(): boolean;
}

interface NodeSet {
  nodes: unknown[];
  size: number;
  tree: unknown;
  addArray: (this: NodeSet, nodes: readonly unknown[]) => void;
}

/** A compiled XPath 1.0 expression. */
export interface Xpath {
  readonly source: string;
  /**
   * Finds what the expression gives: the texts of the nodes it selects in the order of the document, or the one number,
   * text or truth value it computes. A prefix stands for the namespace that `namespaces` or else the document gives it;
   * a name without one means elements of any namespace that are written without one.
   */
  find(document: XmlDocument): Found<string | number | boolean>;
}

const MAX_SOURCE_LENGTH = 1_000;
/** Characters of an expression that are evaluated in one step, where it is evaluated for each node. */
const EVALUATED_AT_ONCE = 50;
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';

const library = onFirstUse<XpathLibrary>('xpath');
let isMended = false;

/**
 * Compiles an XPath 1.0 expression.
 *
 * @param namespaces - what prefixes stand for
 * @throws invalid for what is no XPath, and beyond 1,000 characters
 */
export function compileXpath(source: string, namespaces: ReadonlyMap<string, string> = new Map()): Xpath {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw invalid(
      `XPath of ${source.length} characters is too long; at most ${MAX_SOURCE_LENGTH} are allowed`,
    );
  }
  if (!isMended) mend(library());
  isMended = true;
  const expression = parse(source);
  return {
    source,
    find(document) {
      xmlMeter.start(() => document.size, 1 + source.length / EVALUATED_AT_ONCE);
      try {
        const result = expression.evaluate({
          node: document,
          allowAnyNamespaceForNoPrefix: true,
          namespaces: (prefix: string) => namespaceOf(prefix, namespaces, document),
        });
        return { values: valuesOf(result), problem: undefined, work: xmlMeter.taken };
      } catch (thrown) {
        return { values: [], problem: problemOf(thrown), work: xmlMeter.taken };
      }
    },
  };
}

function parse(source: string): ReturnType<XpathLibrary['parse']> {
  try {
    return library().parse(source);
  } catch (thrown) {
    throw invalid(`XPath ${JSON.stringify(source.slice(0, 200))} cannot be read: ${messageOf(thrown)}`);
  }
}

function namespaceOf(
  prefix: string,
  namespaces: ReadonlyMap<string, string>,
  document: XmlDocument,
): string | undefined {
  return (
    namespaces.get(prefix) ?? document.prefixes.get(prefix) ?? (prefix === 'xml' ? XML_NAMESPACE : undefined)
  );
}

function valuesOf(result: Result): (string | number | boolean)[] {
  if (result.toArray !== undefined) return result.toArray().map((node) => textOfNode(node));
  if ('num' in result) return [result.numberValue()];
  return ['b' in result ? result.booleanValue() : result.stringValue()];
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof TooMuchWork) return 'takes too long on a document of this size';
  if (thrown instanceof RangeError) return 'meets a document that is nested too deep';
  return `cannot be answered: ${messageOf(thrown)}`;
}

/**
 * Two things of the library take the square of what they are given: a set of nodes looks through itself for each node
 * that is added, and the expression that tells numbers goes back over every digit. Both give the same results afterwards,
 * also for whoever else uses the library in this program.
 */
function mend({ XNodeSet, XNumber }: XpathLibrary): void {
  XNumber.prototype.numberFormat = /^\s*-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*$/;
  const addArray = XNodeSet.prototype.addArray;
  XNodeSet.prototype.addArray = function (nodes) {
    if (!(nodes[0] instanceof TreeNode)) {
      addArray.call(this, nodes);
      return;
    }
    xmlMeter.spend(nodes.length / 4);
    this.nodes = [...new Set([...this.nodes, ...nodes])];
    this.size = this.nodes.length;
    this.tree = null;
  };
}
