import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Imported, Json } from '@backlot/core';
import { collectCleanups, itWithTool, runTool } from '@backlot/conformance';
import { http } from '@backlot/http';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import newman from 'newman';
import postmanCollection from 'postman-collection';
import { exported, imported, running } from './support/running.js';

const afterThis = collectCleanups();

/** What is used of the SDK of Postman, which has no types. */
interface PostmanSdk {
  readonly Collection: new (collection: object) => {
    forEachItem(
      each: (item: {
        readonly request: { readonly method: string; readonly url: { getPath(options: object): string } };
        readonly responses: { each(each: (response: { readonly code: number }) => void): void };
      }) => void,
    ): void;
  };
}
const postman = postmanCollection as PostmanSdk;

const SAMPLES = new URL('../../imports/test/samples/', import.meta.url);

function sample(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, SAMPLES)), 'utf8');
}

function mocksOf({ protocols = {} }: Imported): readonly Json[] {
  return (protocols['http']?.['mocks'] ?? []) as readonly Json[];
}

const SHOP: Imported = {
  protocols: {
    http: {
      mocks: [
        {
          id: 'item',
          request: { method: 'GET', path: '/items/{id}' },
          response: {
            status: 200,
            headers: { 'Content-Type': 'application/json' },
            json: { id: 7, tags: ['a'] },
          },
        },
        {
          id: 'page',
          request: { method: 'GET', path: '/page', query: { q: 'tea' } },
          response: {
            status: 200,
            headers: { 'Content-Type': 'text/html' },
            body: '<b>{{raw "{{"}}tea}}</b>',
          },
        },
        {
          id: 'made',
          request: {
            method: 'POST',
            path: '/items',
            headers: { 'X-Team': { regex: '^(?:a|b)$' } },
            body: { json: { partial: { n: 1 } } },
          },
          response: { status: 201, headers: { Location: '/items/8' } },
        },
        {
          id: 'gone',
          request: { method: 'DELETE', path: '/items/{id}', query: { hard: { present: true } } },
          response: { status: 204 },
        },
      ],
    },
  },
};

describe('OpenAPI', () => {
  it('is a valid document, which imports as the mocks that it can say', async () => {
    const host = await running([http], SHOP, afterThis);
    const { text, report } = await exported(host, 'openapi');
    const checked = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
    expect(checked.errors).toBeUndefined();
    expect(checked.valid).toBe(true);
    expect(report.written).toEqual({ mocks: 4, paths: 3 });
    const mocks = mocksOf(imported(text));
    expect(mocks.find(({ id }) => id === 'item')).toEqual({
      ...mocksOf(SHOP)[0],
      response: {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        json: { id: 7, tags: ['a'] },
      },
    });
    expect(mocks.map(({ id }) => id).toSorted()).toEqual(['gone', 'item', 'made', 'page']);
  });

  it('says again what a public document has said', async () => {
    const given = imported(sample('openapi/petstore.yaml'), 'petstore.yaml');
    const host = await running([http], given, afterThis);
    const { text } = await exported(host, 'openapi');
    expect((await new Validator().validate(JSON.parse(text) as Record<string, unknown>)).valid).toBe(true);
    const asked = (mocks: readonly Json[]): unknown[] =>
      mocks.filter(({ request }) => (request as Json)['headers'] === undefined).map(({ request }) => request);
    expect(asked(mocksOf(imported(text)))).toEqual(asked(mocksOf(given)));
  });

  it('leaves out what no document can say, and says why', async () => {
    const host = await running(
      [http],
      {
        protocols: {
          http: {
            mocks: [
              { id: 'any', request: { path: '/files/*' }, response: { body: 'x' } },
              {
                id: 'one',
                request: { method: 'GET', path: '/one' },
                response: { body: '{{uuid}}' },
                times: 1,
              },
            ],
          },
        },
      },
      afterThis,
    );
    const { report } = await exported(host, 'openapi');
    expect(report.refused).toEqual([
      { place: 'any', message: expect.stringContaining('a path that is a pattern') as unknown, count: 1 },
    ]);
    expect(report.approximated.map(({ message }) => message)).toEqual([
      '"times" are left out',
      'the tags of a template are written as they are',
    ]);
  });
});

describe('WireMock', () => {
  it.each(['wiremock/several.json'])('says again the stubs of %s', async (name) => {
    const given = imported(sample(name), name);
    const host = await running([http], given, afterThis);
    const { text } = await exported(host, 'wiremock');
    expect(mocksOf(imported(text))).toEqual(mocksOf(given));
  });

  it('says the mocks of a shop, with their patterns', async () => {
    const host = await running([http], SHOP, afterThis);
    const { text, report } = await exported(host, 'wiremock');
    expect(report).toMatchObject({ approximated: [], refused: [], written: { 'stub mappings': 4 } });
    const mocks = mocksOf(imported(text));
    expect(mocks.slice(0, 3)).toEqual(mocksOf(SHOP).slice(0, 3));
  });

  it('says scenarios, delays, faults and templates', async () => {
    const mocks = [
      {
        id: 'first',
        state: { key: 'scenario:cart', value: 'Started' },
        set_state: { 'scenario:cart': 'full' },
        request: { method: 'GET', path: '/cart' },
        response: { status: 200, body: 'empty', delay: '250ms' },
      },
      {
        id: 'broken',
        priority: 2,
        request: { method: 'GET', path: '/broken' },
        response: { status: 200, broken: 'reset' },
      },
      {
        id: 'named',
        request: { method: 'GET', path: '/hello/{name}' },
        response: { status: 200, body: 'hello {{request.params.name}} {{request.query.x}}' },
      },
    ];
    const host = await running(
      [http],
      { protocols: { http: { mocks } }, state: { 'scenario:cart': 'Started' } },
      afterThis,
    );
    const { text, report } = await exported(host, 'wiremock');
    expect(report.approximated).toEqual([]);
    const again = imported(text);
    expect(again.state).toEqual({ 'scenario:cart': 'Started' });
    const byId = (list: readonly Json[]): Json => Object.fromEntries(list.map((mock) => [mock['id'], mock]));
    expect(byId(mocksOf(again))).toEqual(byId(mocks));
  });
});

describe('Postman', () => {
  it('is a collection for the SDK of Postman, and imports again', async () => {
    const host = await running([http], SHOP, afterThis);
    const { text } = await exported(host, 'postman');
    const collection = new postman.Collection(JSON.parse(text) as Record<string, unknown>);
    const items: { url: string; codes: number[] }[] = [];
    collection.forEachItem((item) => {
      const codes: number[] = [];
      item.responses.each((response) => void codes.push(response.code));
      items.push({ url: `${item.request.method} ${item.request.url.getPath({ unresolved: true })}`, codes });
    });
    expect(items).toEqual([
      { url: 'GET /items/:id', codes: [200] },
      { url: 'GET /page', codes: [200] },
      { url: 'POST /items', codes: [201] },
      { url: 'DELETE /items/:id', codes: [204] },
    ]);
    const mocks = mocksOf(imported(text));
    expect(mocks.find(({ id }) => id === 'page-200')).toEqual({ ...mocksOf(SHOP)[1], id: 'page-200' });
    expect(mocks.find(({ id }) => id === 'gone-204')).toEqual({ ...mocksOf(SHOP)[3], id: 'gone-204' });
  });
});

describe('newman', () => {
  it('runs an exported collection, and every request is answered as its example says', async () => {
    const host = await running([http], SHOP, afterThis);
    const { text, report } = await exported(host, 'postman');
    expect(report.approximated).toContainEqual({
      place: 'made',
      message: 'a pattern is no value: it is left to be filled in',
      count: 1,
    });
    const collection = JSON.parse(text) as { item: { request: { header: { value: string }[] } }[] };
    const [team] = collection.item[2]?.request.header ?? [];
    if (team !== undefined) team.value = 'b';
    const codes = new Map<string, number>();
    await new Promise<void>((resolve, reject) => {
      newman
        .run({ collection, reporters: [] }, (problem) => {
          if (problem === null) resolve();
          else reject(problem);
        })
        .on('request', (problem, { item, response }) => {
          codes.set(item.name, problem === null ? response.code : 0);
        });
    });
    expect(Object.fromEntries(codes)).toEqual({ item: 200, page: 200, made: 201, gone: 204 });
    expect(host.journal.list().map(({ matched_id: id }) => id)).toEqual(['item', 'page', 'made', 'gone']);
  });
});

describe('curl', () => {
  itWithTool('curl', 'lines that a shell runs send the requests again', async () => {
    const host = await running([http], SHOP, afterThis);
    const { url = '' } = host.kind('http');
    await fetch(`${url}/items`, {
      method: 'POST',
      headers: { 'x-team': 'b' },
      body: `{"n":1,"text":"it's $HOME \`x\`"}`,
    });
    await fetch(`${url}/page?q=tea&further=a%20b`);
    const { text, report } = await exported(host, 'curl');
    expect(report.written).toEqual({ commands: 2 });
    const ran = await runTool('sh', ['-c', text]);
    expect({ code: ran.code, out: ran.out }).toEqual({
      code: 0,
      out: expect.stringContaining('{{tea}}') as unknown,
    });
    const [first, second, third, fourth] = host.journal.list();
    expect(
      [third, fourth].map((entry) => [entry?.method, entry?.path, entry?.body, entry?.matched_id]),
    ).toEqual([first, second].map((entry) => [entry?.method, entry?.path, entry?.body, entry?.matched_id]));
    expect(fourth?.query).toEqual({ q: 'tea', further: 'a b' });
    expect(mocksOf(imported(text)).map(({ request }) => (request as Json)['method'])).toEqual([
      'POST',
      'GET',
    ]);
  });
});

describe('the configuration', () => {
  it('is YAML that is read as what runs, however it is cut into pieces', async () => {
    const mocks = [
      ...mocksOf(SHOP),
      {
        id: 'odd',
        request: { path: '/odd' },
        response: { body: 'a: |2\n  b\n\n # no comment\n${NAME} $${x}\n' },
      },
    ];
    const host = await running(
      [http],
      { protocols: { http: { mocks } }, state: { 'a: b': '- c', '': '' } },
      afterThis,
    );
    const { text } = await exported(host, 'yaml');
    const { tree } = await import('@backlot/imports').then(({ parseTree }) =>
      parseTree(
        text.replaceAll('$${', () => '${'),
        'b.yaml',
      ),
    );
    expect(tree).toEqual(JSON.parse(JSON.stringify(host.configuration())));
  });

  it('is written a mock at a time', async () => {
    const mocks = Array.from({ length: 3000 }, (_, index) => ({
      id: `m${index}`,
      request: { method: 'GET', path: `/m/${index}` },
      response: { body: 'x'.repeat(100) },
    }));
    const host = await running([http], { protocols: { http: { mocks } } }, afterThis);
    for (const format of ['yaml', 'openapi', 'wiremock', 'postman']) {
      const { runExport, exporterFor, exportSource } = await import('@backlot/core');
      const { exporters } = await import('../src/index.js');
      const lengths: number[] = [];
      for (const piece of runExport(await exporterFor(format, [], exporters), exportSource(host)).pieces)
        lengths.push(piece?.length ?? 0);
      expect(lengths.length).toBeGreaterThan(3000);
      expect(Math.max(...lengths)).toBeLessThan(5000);
    }
  });
});
