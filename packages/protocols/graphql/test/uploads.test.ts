import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { request, startGraphql, stopAll, type Answer } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';

const SAVE = 'mutation Save($file: Upload!) { save(file: $file) }';
const OPERATIONS = JSON.stringify({ query: SAVE, variables: { file: null } });
const MOCKS = [
  {
    id: 'letter',
    operation_name: 'Save',
    variables: { 'file.text': 're:^Dear ', 'file.type': 'text/plain*' },
    response: { save: '{{request.variables.file.filename}}: {{request.variables.file.text}}' },
  },
  {
    id: 'bytes',
    operation_name: 'Save',
    variables: { 'file.base64': '/wD+' },
    response: { save: '{{request.variables.file.size}}' },
  },
  {
    id: 'many',
    operation_name: 'Many',
    response: { save: '{{request.variables.files.1.filename}}' },
  },
];
const MAP = '{"0": ["variables.file"]}';
const bytes = new Uint8Array([0xff, 0, 0xfe]);

afterEach(stopAll);

function send(url: string, fields: Readonly<Record<string, string | Blob>>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'letter.txt');
  }
  return request(url, { method: 'POST', body: form });
}

describe('a form with files', () => {
  it('has its files among the variables, by which mocks match, and which the journal keeps', async () => {
    const { url, host } = await startGraphql(MOCKS);
    const letter = new Blob(['Dear Ann'], { type: 'text/plain' });
    const answer = await send(url, { operations: OPERATIONS, map: MAP, 0: letter });
    expect([answer.status, answer.json]).toEqual([200, { data: { save: 'letter.txt: Dear Ann' } }]);
    expect((await send(url, { operations: OPERATIONS, map: MAP, 0: new Blob([bytes]) })).json).toEqual({
      data: { save: 3 },
    });
    expect(host.journal.list()).toMatchObject([{ matched_id: 'letter' }, { matched_id: 'bytes' }]);
    const [first] = host.journal.list() as unknown as { query: { variables: string } }[];
    expect(JSON.parse(first?.query.variables ?? '')).toEqual({
      file: { filename: 'letter.txt', type: 'text/plain', size: 8, text: 'Dear Ann' },
    });
  });

  it('may have a list of requests, and one file in several places', async () => {
    const { url } = await startGraphql(MOCKS);
    const many = { query: 'mutation Many($files: [Upload]) { a }', variables: { files: [null, null] } };
    const answer = await send(url, {
      operations: JSON.stringify([many, JSON.parse(OPERATIONS)]),
      map: '{"a": ["0.variables.files.0", "0.variables.files.1", "1.variables.file"]}',
      a: new Blob(['Dear all'], { type: 'text/plain' }),
    });
    expect(JSON.parse(answer.text)).toEqual([
      { data: { save: 'letter.txt' } },
      { data: { save: 'letter.txt: Dear all' } },
    ]);
  });

  it('passes a schema with a scalar for files', async () => {
    const sdl = 'scalar Upload type Query { a: Int } type Mutation { save(file: Upload!): String! }';
    const { url } = await startGraphql(MOCKS, { sdl });
    const answer = await send(url, {
      operations: OPERATIONS,
      map: MAP,
      0: new Blob(['Dear'], { type: 'text/plain' }),
    });
    expect(answer.json).toMatchObject({ data: { save: expect.any(String) } });
  });

  it.each<[Record<string, string | Blob>, string]>([
    [{}, 'the form has no field "operations"'],
    [{ operations: OPERATIONS }, 'the form has no field "map"'],
    [{ operations: '{', map: MAP }, 'operations is not JSON'],
    [{ operations: OPERATIONS, map: '[]' }, 'map must be an object'],
    [
      { operations: OPERATIONS, map: '{"0": "variables.file"}', 0: new Blob([]) },
      'map.0 must be a list of places',
    ],
    [{ operations: OPERATIONS, map: MAP }, 'the form has no part "0", which map names'],
    [
      { operations: OPERATIONS, map: '{"0": ["variables.other"]}', 0: new Blob([]) },
      'no null at "variables.other"',
    ],
    [{ operations: OPERATIONS, map: '{"0": ["__proto__.x"]}', 0: new Blob([]) }, 'no null at "__proto__.x"'],
    [{ operations: OPERATIONS, map: '{"0": ["query"]}', 0: new Blob([]) }, 'no null at "query"'],
    [
      {
        operations: OPERATIONS,
        map: JSON.stringify({ 0: Array(1001).fill('variables.file') }),
        0: new Blob([]),
      },
      'no null at',
    ],
    [{ operations: '{"variables": {"file": null}}', map: MAP, 0: new Blob([]) }, 'the request has no query'],
  ])('is refused when it is none: %#', async (fields, text) => {
    const { url, host, lines } = await startGraphql(MOCKS);
    const answer = await send(url, fields);
    expect([answer.status, answer.json.errors?.[0]?.message]).toEqual([400, expect.stringContaining(text)]);
    expect(host.journal.list()).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('comes from apollo-upload-client', async () => {
    const { url } = await startGraphql(MOCKS);
    const got = await runModule(`
      import { ApolloClient, InMemoryCache, gql } from '@apollo/client';
      import UploadHttpLink from 'apollo-upload-client/UploadHttpLink.mjs';
      const link = new UploadHttpLink({ uri: ${JSON.stringify(url)} });
      const client = new ApolloClient({ cache: new InMemoryCache(), link });
      const file = new File(['Dear Ben'], 'ben.txt', { type: 'text/plain' });
      const { data } = await client.mutate({ mutation: gql(${JSON.stringify(SAVE)}), variables: { file } });
      console.log(JSON.stringify(data));
    `);
    expect(got).toEqual({ save: 'ben.txt: Dear Ben' });
  });

  itWithTool('curl', 'comes from curl', async () => {
    const { url } = await startGraphql(MOCKS);
    const file = '0=Dear Eve;filename=eve.txt;type=text/plain';
    const { out } = await runTool('curl', [
      '-s',
      url,
      '-F',
      `operations=${OPERATIONS}`,
      '-F',
      `map=${MAP}`,
      '-F',
      file,
    ]);
    expect(JSON.parse(out)).toEqual({ data: { save: 'eve.txt: Dear Eve' } });
  });
});
