import { describe, expect, it } from '@jest/globals';
import { parseXml, type XmlDocument } from '../../src/values/xml.js';
import { compileXpath } from '../../src/values/xpath.js';

const ORDER = `<?xml version="1.0"?>
<!DOCTYPE order>
<o:order xmlns:o="urn:orders" xmlns="urn:things">
  <item id="1"><name>mug</name><price>5</price></item>
  <item id="2"><name>tea &amp; <![CDATA[<milk>]]></name><price>12.50</price></item>
  <!-- paid -->
</o:order>`;

function parsed(text: string): XmlDocument {
  const { document, problem } = parseXml(text);
  if (document === undefined) throw new Error(problem);
  return document;
}

function find(source: string, text = ORDER, namespaces?: ReadonlyMap<string, string>): unknown {
  const { values, problem } = compileXpath(source, namespaces).find(parsed(text));
  expect(problem).toBeUndefined();
  return values;
}

describe('an XPath', () => {
  it('selects elements, attributes and texts', () => {
    expect(find('//item/name')).toEqual(['mug', 'tea & <milk>']);
    expect(find('//item[2]/@id')).toEqual(['2']);
    expect(find('//item[@id="1"]/price/text()')).toEqual(['5']);
    expect(find('//item[last()]/name')).toEqual(['tea & <milk>']);
    expect(find('//comment()')).toEqual([' paid ']);
    expect(find('//nothing')).toEqual([]);
    expect(find('//price/preceding-sibling::name')).toHaveLength(2);
    expect(find('//name[. = "mug"]/following-sibling::price')).toEqual(['5']);
    expect(find('//price/ancestor::item/@id')).toEqual(['1', '2']);
    expect(find('//item[1]/name | //item[2]/@id | //item[1]/price')).toEqual(['mug', '5', '2']);
  });

  it('computes numbers, texts and truth values', () => {
    expect(find('count(//item)')).toEqual([2]);
    expect(find('sum(//price)')).toEqual([17.5]);
    expect(find('//price > 10')).toEqual([true]);
    expect(find('string(//item[1]/name)')).toEqual(['mug']);
    expect(find('concat(//name, "!")')).toEqual(['mug!']);
    expect(find('number("12.")')).toEqual([Number.NaN]);
    expect(find('number(" -.5 ")')).toEqual([-0.5]);
  });

  it('knows the namespaces of the document, and given ones', () => {
    expect(find('count(/o:order)')).toEqual([1]);
    expect(find('count(/order)')).toEqual([0]);
    expect(find('count(//t:item)', ORDER, new Map([['t', 'urn:things']]))).toEqual([2]);
    expect(find('count(//t:item)', ORDER, new Map([['t', 'urn:other']]))).toEqual([0]);
    expect(compileXpath('//u:x').find(parsed(ORDER)).problem).toMatch(/cannot be answered/);
  });

  it('refuses what is none', () => {
    expect(() => compileXpath('//item[')).toThrow(/cannot be read/);
    expect(() => compileXpath(`/${'a/'.repeat(600)}b`)).toThrow(/too long/);
  });

  it.each([
    '//*//*//*//*',
    '//*/../*/../*/../*/../*',
    '//*[count(//*[count(//*) > 1]) > 1]',
    '//* = //*/@a',
    '//*[translate(/, "x", "y")]',
    '//*[contains(., "x")]/ancestor::*//*',
    'number(//long)',
  ])('%s takes no more steps than the size of a document allows', (source) => {
    const document = parsed(
      `<r>${'<a><b c="d">x</b><b/></a>'.repeat(200)}<long>${'1'.repeat(5_000)}x</long></r>`,
    );
    const found = compileXpath(source).find(document);
    expect(found.problem ?? '').toMatch(/^$|takes too long/);
    expect(found.work).toBeLessThanOrEqual(5_000 + 25 * document.size);
  });
});

describe('XML', () => {
  it('is refused when it is none', () => {
    for (const text of ['', 'text', '<a>', '<a></b>', '<a b=c/>', '{"a": 1}', '<a/><b/>', '<a>&nope;</a>']) {
      expect(parseXml(text).problem).toMatch(/is no XML/);
    }
  });

  it('is refused before it is parsed when parsing takes long', () => {
    expect(parseXml('<a>'.repeat(201)).problem).toMatch(/nested deeper than 200/);
    expect(parsed(`${'<a>'.repeat(200)}${'</a>'.repeat(200)}`).root.nodeName).toBe('a');
    expect(parseXml(`<a>${'<b/>'.repeat(5_000)}</a>`).problem).toMatch(/more than 5000/);
    expect(parseXml(`<a>${'<b c=">"/>'.repeat(2_501)}</a>`).problem).toMatch(/more than 5000/);
    expect(parseXml(`<a>${'&#65;'.repeat(100_000)}</a>`).problem).toMatch(/more than 5000/);
    expect(parseXml('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>').problem).toMatch(/entities/);
    expect(parseXml(`<a>${'<!x>'.repeat(5)}</a>`).problem).toMatch(/is no XML/);
  });

  it('takes comments, instructions and CDATA for what they are', () => {
    const text = `<a><!-- <b> --><?c <d>?><![CDATA[${'<e>'.repeat(300)}]]><f g='>'/></a>`;
    expect(parsed(text).root.children.map(({ nodeType }) => nodeType)).toEqual([8, 7, 4, 1]);
  });
});
