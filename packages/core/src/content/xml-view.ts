import { defineOwn } from '../validation/pointer.js';
import { parseXml, type XmlElement, type XmlNode } from '../values/xml.js';

const [ELEMENT, TEXT, CDATA] = [1, 3, 4];

/**
 * A text of XML as nested values: an object with the root element by its name. Names are without prefix. An element with nothing
 * but text is that text; else it is an object with its attributes, each as `@name`, its elements, with a list for a name
 * that comes more than once, and beside them its text as `#text`.
 *
 * @returns `undefined` when the text is no XML, or none that is taken
 */
export function viewXml(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\uFEFF?\s*</.test(text)) return undefined;
  const { document } = parseXml(text);
  if (document === undefined) return undefined;
  const view = {};
  defineOwn(view, nameOf(document.root), viewElement(document.root));
  return view;
}

function viewElement(element: XmlElement): unknown {
  const attributes = element.attributeList.filter(({ nodeName }) => !/^xmlns(?::|$)/.test(nodeName));
  const elements = element.children.filter(({ nodeType }) => nodeType === ELEMENT) as XmlElement[];
  const text = element.children
    .filter(({ nodeType }) => nodeType === TEXT || nodeType === CDATA)
    .map((node) => node.text)
    .join('');
  if (attributes.length === 0 && elements.length === 0) return text;
  const view: Record<string, unknown> = {};
  for (const attribute of attributes) defineOwn(view, `@${nameOf(attribute)}`, attribute.text);
  const lists = new Map<string, unknown[]>();
  for (const inner of elements) {
    const name = nameOf(inner);
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [viewElement(inner)]);
    else list.push(viewElement(inner));
  }
  for (const [name, list] of lists) defineOwn(view, name, list.length === 1 ? list[0] : list);
  if (text.trim() !== '') defineOwn(view, '#text', text.trim());
  return view;
}

function nameOf({ localName, nodeName }: XmlNode): string {
  return localName ?? nodeName;
}
