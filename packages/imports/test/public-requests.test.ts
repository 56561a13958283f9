import { checkImport, createHost, type Host, type ImportReport } from '@backlot/core';
import { itWithTool, runTool } from '@backlot/conformance';
import { http } from '@backlot/http';
import { afterEach, describe, expect, it } from '@jest/globals';
import hars from 'har-examples';
import { convert, convertText, mocksOf } from './support/convert.js';
import { sample } from './support/samples.js';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** What the tests read of an entry of a recording. */
interface Entry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly queryString: readonly Pair[];
    readonly headers: readonly Pair[];
    readonly postData?: { readonly text?: string };
  };
  readonly response: { readonly status: number; readonly content: { readonly text?: string } };
}

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

/** Serves what an importer made, and gives the url. */
async function serve({ imported }: ReturnType<typeof convert>): Promise<string> {
  const host = await createHost({
    protocols: [http],
    settings: { http: { port: 0, ...imported.protocols?.['http'] } },
    seed: 1,
  });
  hosts.push(host);
  expect((await checkImport(host, imported)).refused).toEqual([]);
  await host.start();
  return host.kind('http').url ?? '';
}

const messagesOf = (notes: ImportReport['refused']): string[] => notes.map(({ message }) => message);

describe('OpenAPI 3.1', () => {
  it('answers the operations of the petstore', async () => {
    const converted = convert(sample('openapi', 'openapi/v3.1/petstore.json'));
    expect(converted.report).toMatchObject({ format: 'openapi', refused: [] });
    expect(messagesOf(converted.report.approximated)).toContain(
      'credentials are not asked for: every request is answered',
    );
    const url = await serve(converted);
    const pet = await fetch(`${url}/v2/pet/7`);
    expect({ status: pet.status, type: pet.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'application/json',
    });
    expect(await pet.json()).toMatchObject({ name: 'doggie', photoUrls: [expect.any(String)] });
    expect((await fetch(`${url}/v2/pet/7`, { headers: { Prefer: 'code=404' } })).status).toBe(404);
    expect((await fetch(`${url}/v2/store/order/1`, { method: 'DELETE' })).status).toBe(400);
  });

  it('receives the webhooks of a document that has nothing else', async () => {
    const converted = convert(sample('openapi', 'openapi/v3.1/webhooks.json'));
    expect(converted.report).toMatchObject({ taken: { 'http mocks': 2 }, refused: [] });
    expect(messagesOf(converted.report.approximated)).toContain(
      'the document is for those who receive webhooks, and says no paths: each is received at its name',
    );
    const url = await serve(converted);
    const received = await fetch(`${url}/newPet`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"id": 7, "name": "Rex"}',
    });
    expect(received.status).toBe(200);
    expect((await fetch(`${url}/newPet?id=7`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(`${url}/oldPet`, { method: 'POST' })).status).toBe(404);
  });

  it('says that a document without paths and webhooks has nothing to answer', () => {
    expect(() => convertText('{"openapi": "3.1.0", "webhooks": {}}')).toThrow(
      'the document has no paths and no webhooks',
    );
  });
});

describe('HAR', () => {
  it.each(Object.entries(hars as unknown as Record<string, object>))(
    'answers %s as the recording does',
    async (_name, har) => {
      const { entries } = (har as { readonly log: unknown }).log as { readonly entries: readonly Entry[] };
      const [entry] = entries;
      if (entry === undefined) throw new Error('the recording has no entry');
      const { method, url, queryString, postData, headers } = entry.request;
      const converted = convertText(JSON.stringify(har), 'recording.har');
      expect(converted.report).toMatchObject({ format: 'har', taken: { 'http mocks': 1 }, refused: [] });
      expect(converted.report.approximated).toEqual([]);
      const asked = new URL(url);
      for (const { name, value } of queryString) asked.searchParams.append(name, value);
      const response = await fetch(`${await serve(converted)}${asked.pathname}${asked.search}`, {
        method,
        headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
        ...(postData === undefined ? {} : { body: postData.text ?? 'as it may be' }),
      });
      const { content, status } = entry.response;
      expect({ status: response.status, body: await response.text() }).toEqual({
        status,
        body: content.text ?? '',
      });
    },
  );
});

describe('curl', () => {
  /** Examples that ask for a file, another server or another protocol, that curl refuses, or that HTTP does. */
  const OTHERS =
    /[ =]@(?!at@)|\w@file|=<|[{]file|proxy|socks|socket|ntlm|negotiate|digest|--next| -c |ftp:|aws|delegation|--resolve|--connect-to|kerb|--form-string "data"|"Host:"|--request-target/;
  const REQUESTS =
    / (-d|--data-\S+|--json|-F|--form\S*|-X|--request|-G|--get|-I|-u|-H|--url-query|--url|-A|-e|-b) /;

  async function readExamples(): Promise<string[]> {
    const { out } = await runTool('curl', ['--manual']);
    const blocks = out.matchAll(/^ +Examples?:\n((?: +curl .*\n)+)/gm);
    return [...new Set([...blocks].flatMap(([, lines = '']) => lines.trim().split(/\n */)))];
  }

  itWithTool(
    'curl',
    'finds the address in the examples of its manual, whatever options stand before it',
    async () => {
      const examples = (await readExamples()).filter(
        (line) => (line.match(/https?:\/\//g) ?? []).length === 1,
      );
      expect(examples.length).toBeGreaterThan(200);
      for (const line of examples) {
        const asking = line.replace(/(https?:\/\/example\.(?:com|net))/, '$1/asked');
        // What stands behind --metalink is an address since it has no value.
        if (asking === line || /--request-target|--metalink/.test(line)) continue;
        const [mock] = mocksOf(convertText(`${asking}\n`, 'a.sh'));
        const { path, path_regex: pattern } = mock?.['request'] as { path?: string; path_regex?: string };
        expect({ line, path: path ?? pattern }).toEqual({
          line,
          path: expect.stringMatching(/^\^?\/asked/),
        });
      }
    },
  );

  itWithTool('curl', 'answers the examples of its manual when curl runs them', async () => {
    const chosen = (await readExamples()).filter((line) => REQUESTS.test(line) && !OTHERS.test(line));
    expect(chosen.length).toBeGreaterThan(20);
    const converted = convertText(`${chosen.join('\n')}\n`, 'examples.sh');
    expect(converted.report).toMatchObject({ format: 'curl', refused: [] });
    expect(mocksOf(converted)).toHaveLength(chosen.length);
    const { host } = new URL(await serve(converted));
    const answers: string[] = [];
    for (const line of chosen) {
      const script = `${line.replace('https:', 'http:')} -s -o /dev/null -w '%{http_code}' --connect-to ::${host}`;
      const ran = await runTool('sh', ['-c', script]);
      answers.push(`${ran.out} ${line}`);
    }
    expect(answers).toEqual(chosen.map((line) => `200 ${line}`));
  });
});
