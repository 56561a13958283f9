import { describe, expect, it } from '@jest/globals';
import { viewXml } from '../../src/content/xml-view.js';

describe('XML as values', () => {
  it('has elements by name, lists of repeated ones, attributes and text', () => {
    const text = `<?xml version="1.0"?>
      <s:Envelope xmlns:s="urn:soap"><s:Body id="1">
        <item n="1">a &amp; b</item><item n="2"><![CDATA[<c>]]></item>
        <one>1</one><empty/><__proto__>x</__proto__><toString/> mixed
      </s:Body></s:Envelope>`;
    expect(JSON.stringify(viewXml(text))).toBe(
      '{"Envelope":{"Body":{"@id":"1","item":[{"@n":"1","#text":"a & b"},{"@n":"2","#text":"<c>"}],' +
        '"one":"1","empty":"","__proto__":"x","toString":"","#text":"mixed"}}}',
    );
  });

  it.each([
    '',
    'text',
    '{"a": 1}',
    '<a',
    '<a></b>',
    '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
    '<a>'.repeat(300),
  ])('is nothing for %j', (text) => {
    expect(viewXml(text)).toBeUndefined();
  });
});
