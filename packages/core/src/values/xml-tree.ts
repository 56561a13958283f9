import { WorkMeter } from './work-meter.js';

/** Counts the steps of the XPath that is being evaluated. */
export const xmlMeter = new WorkMeter();

/** Characters of a text that are read in one step. */
const READ_AT_ONCE = 4;
/** Characters that weigh as much as a node. */
const CHARACTERS = 16;
const [ELEMENT, ATTRIBUTE, TEXT, CDATA, DOCUMENT] = [1, 2, 3, 4, 9];

/** A node of a document, numbered as in the DOM: 1 element, 2 attribute, 3 text, 4 CDATA, 7 instruction, 8 comment, 9 document. */
export interface XmlNode {
  readonly nodeType: number;
  /** The name with its prefix, as it is written. */
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  /** The text of an attribute, a text, a comment; `''` of an element. */
  readonly text: string;
  readonly children: readonly XmlNode[];
}

/** An element. */
export interface XmlElement extends XmlNode {
  readonly attributeList: readonly XmlNode[];
}

/** A parsed document. */
export interface XmlDocument extends XmlNode {
  readonly root: XmlElement;
  /** Nodes and, less, characters: what searching it costs. */
  readonly size: number;
  /** The namespace that each prefix stands for where it is first declared. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** What is read of a node of @xmldom/xmldom. */
interface SourceNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName?: string | null;
  readonly namespaceURI?: string | null;
  readonly nodeValue: string | null;
  readonly firstChild: SourceNode | null;
  readonly nextSibling: SourceNode | null;
  readonly attributes?: { readonly length: number; item(index: number): SourceNode | null };
}

/**
 * A node as the library xpath reads it. Each look at a neighbour counts, and two nodes compare by their numbers: nodes of
 * @xmldom/xmldom would be compared by going through their parents' children.
 */
export class TreeNode implements XmlElement, XmlDocument {
  readonly children: TreeNode[] = [];
  readonly attributeList: TreeNode[] = [];
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI: string | null;
  readonly prefix: string | null;
  readonly text: string;
  /** The element of an attribute. */
  readonly ownerElement: TreeNode | null;
  readonly ownerDocument: TreeNode | null;
  readonly prefixes = new Map<string, string>();
  size = 0;
  readonly #parent: TreeNode | null;
  readonly #order: number;
  readonly #place: number;

  constructor(source: SourceNode, around: TreeNode | null, document: TreeNode | null, order: number) {
    this.nodeType = source.nodeType;
    this.nodeName = source.nodeName;
    this.localName = source.localName ?? null;
    this.namespaceURI = source.namespaceURI ?? null;
    const colon = source.nodeName.indexOf(':');
    this.prefix = colon > 0 ? source.nodeName.slice(0, colon) : null;
    this.text = source.nodeValue ?? '';
    const isAttribute = source.nodeType === ATTRIBUTE;
    this.ownerElement = isAttribute ? around : null;
    this.ownerDocument = document;
    this.#parent = isAttribute ? null : around;
    this.#order = order;
    this.#place = isAttribute ? -1 : (around?.children.length ?? 0);
  }

  get root(): TreeNode {
    return this.children.find(({ nodeType }) => nodeType === ELEMENT) ?? this;
  }

  get documentElement(): TreeNode {
    return this.root;
  }

  get nodeValue(): string {
    xmlMeter.spend(1 + this.text.length / READ_AT_ONCE);
    return this.text;
  }

  get value(): string {
    return this.nodeValue;
  }

  get name(): string {
    return this.nodeName;
  }

  get parentNode(): TreeNode | null {
    xmlMeter.spend(1);
    return this.#parent;
  }

  get firstChild(): TreeNode | null {
    xmlMeter.spend(1);
    return this.children[0] ?? null;
  }

  get nextSibling(): TreeNode | null {
    return this.#sibling(1);
  }

  get previousSibling(): TreeNode | null {
    return this.#sibling(-1);
  }

  get childNodes(): readonly TreeNode[] {
    return this.children;
  }

  get attributes(): { readonly length: number; item(index: number): TreeNode | null } | null {
    if (this.nodeType !== ELEMENT) return null;
    const list = this.attributeList;
    return {
      length: list.length,
      item(index) {
        xmlMeter.spend(1);
        return list[index] ?? null;
      },
    };
  }

  getAttributeNS(namespace: string, name: string): string | null {
    const found = this.attributeList.find(
      ({ namespaceURI, localName }) => namespaceURI === namespace && localName === name,
    );
    return found?.text ?? null;
  }

  /** 2 when the other node stands before this one, 4 when it stands after it, as in the DOM. */
  compareDocumentPosition(other: TreeNode): number {
    xmlMeter.spend(1);
    return other.#order < this.#order ? 2 : 4;
  }

  #sibling(distance: number): TreeNode | null {
    xmlMeter.spend(1);
    return this.#place < 0 ? null : (this.#parent?.children[this.#place + distance] ?? null);
  }
}

/** The text of a node: of an element or a document all the text in it (XPath 1.0, section 5). */
export function textOfNode(node: XmlNode): string {
  if (node.nodeType !== ELEMENT && node.nodeType !== DOCUMENT) return node.text;
  let text = '';
  const left: XmlNode[] = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.nodeType === TEXT || next.nodeType === CDATA) text += next.text;
    for (let index = next.children.length - 1; index >= 0; index -= 1) {
      const child = next.children[index];
      if (child !== undefined) left.push(child);
    }
  }
  return text;
}

/** Copies a document of @xmldom/xmldom, whose nodes are numbered in the order in which they stand. */
export function copyTree(parsed: unknown, characters: number): TreeNode {
  const source = parsed as SourceNode;
  let count = 0;
  const document = new TreeNode(source, null, null, count);
  const copy = (from: SourceNode, around: TreeNode): TreeNode => {
    count += 1;
    return new TreeNode(from, around, document, count);
  };
  const outside: { readonly next: SourceNode | null; readonly around: TreeNode }[] = [];
  let around = document;
  for (let from = source.firstChild; from !== null;) {
    const node = copy(from, around);
    around.children.push(node);
    for (let index = 0; index < (from.attributes?.length ?? 0); index += 1) {
      const attribute = from.attributes?.item(index);
      if (attribute === null || attribute === undefined) continue;
      node.attributeList.push(copy(attribute, node));
      const prefix = /^xmlns:(.+)$/.exec(attribute.nodeName)?.[1];
      if (prefix !== undefined && !document.prefixes.has(prefix))
        document.prefixes.set(prefix, attribute.nodeValue ?? '');
    }
    if (from.firstChild !== null) {
      outside.push({ next: from.nextSibling, around });
      around = node;
      from = from.firstChild;
      continue;
    }
    from = from.nextSibling;
    while (from === null) {
      const left = outside.pop();
      if (left === undefined) break;
      ({ next: from, around } = left);
    }
  }
  document.size = count + characters / CHARACTERS;
  return document;
}
