import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createHost, findWarningsInSlices } from '@backlot/core';
import createClient from 'openapi-fetch';
import { http } from '../src/index.js';
import { startHttp, stopAll } from './support/http-host.js';

const PETS = `openapi: 3.0.3
info: { title: Pets, version: '1' }
servers: [{ url: https://api.example.com/v1 }]
paths:
  /pets:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100 } }
        - { name: tags, in: query, schema: { type: array, items: { type: string, enum: [cat, dog] } } }
      responses:
        '200':
          description: all
          headers: { x-total: { schema: { type: integer } } }
          content:
            application/json:
              schema: { type: object, required: [data], properties: { data: { type: array, items: { $ref: '#/components/schemas/Pet' } } } }
        default: { description: no, content: { application/json: { schema: { type: object } } } }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
      responses: { '201': { description: made, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
  /pets/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: one
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
              examples: { cat: { value: { id: '1', name: Tom } }, dog: { value: { id: '2', name: Rex } } }
        '404': { description: none, content: { application/json: { schema: { type: object, required: [error], properties: { error: { type: string } } } } } }
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      additionalProperties: false
      properties:
        id: { type: string, readOnly: true }
        name: { type: string, minLength: 1 }
        age: { type: integer, nullable: true }
        friends: { type: array, items: { $ref: '#/components/schemas/Pet' } }
`;

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-'));
  file = join(folder, 'pets.yaml');
  writeFileSync(file, PETS);
});
afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true }));

const list = (...pets: object[]) => ({
  id: 'list',
  request: { method: 'GET', path: '/v1/pets' },
  response: { json: { data: pets } },
});

async function read(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; type: string; body: never }> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: (text === '' ? undefined : JSON.parse(text)) as never,
  };
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

it('refuses what the contract does not allow, and says why', async () => {
  const { url, host } = await startHttp([list()], { contract: { file, mode: 'enforce' } });
  expect(await read(`${url}/v1/pets?limit=5&tags=cat&tags=dog`)).toMatchObject({ status: 200 });
  expect(await read(`${url}/v1/pets?limit=many&tags=cow`)).toMatchObject({
    status: 400,
    type: 'application/problem+json',
    body: {
      errors: [
        { pointer: '/query/limit', detail: 'must be an integer' },
        { pointer: '/query/tags/0', detail: 'must be one of "cat", "dog"' },
      ],
    },
  });
  expect(await read(`${url}/v1/pets`, post({ name: 7 }))).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/body/name', detail: 'must be a string' }] },
  });
  expect(await read(`${url}/v1/pets`, post({ name: 'x', colour: 'red' }))).toMatchObject({
    body: { errors: [{ pointer: '/body/colour', detail: 'must not be there' }] },
  });
  expect(await read(`${url}/v1/pets`, { method: 'POST' })).toMatchObject({ status: 400 });
  const plain = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
  expect(await read(`${url}/v1/pets`, plain)).toMatchObject({ status: 415 });
  expect(await read(`${url}/v1/pets/x`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/path/id', detail: 'must be an integer' }] },
  });
  expect(await read(`${url}/v1/cows`)).toMatchObject({ status: 404 });
  const wrongMethod = await fetch(`${url}/v1/pets`, { method: 'DELETE' });
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET, POST']);

  const [, broken] = host.journal.list();
  expect(broken?.contract).toEqual({
    operation: 'GET /pets',
    violations: [
      { in: 'request', path: '/query/limit', message: 'must be an integer', value: 'many' },
      { in: 'request', path: '/query/tags/0', message: 'must be one of "cat", "dog"', value: 'cow' },
    ],
  });
});

it('only notes with mode warn', async () => {
  const { url, host, lines } = await startHttp([list({ id: 7, name: 'x' })], {
    contract: { file, mode: 'warn' },
  });
  expect(lines).toContainEqual(
    expect.stringContaining(
      'mock "list" answers what the contract does not allow: /data/0/id must be a string',
    ),
  );
  expect(await read(`${url}/v1/pets?limit=0`)).toMatchObject({ status: 200, body: { data: [{ id: 7 }] } });
  expect(host.journal.list()[0]?.contract?.violations).toEqual([
    { in: 'request', path: '/query/limit', message: 'must be >= 1', value: 0 },
    { in: 'answer', path: '/body/data/0/id', message: 'must be a string', value: 7 },
  ]);
});

it('refuses mocks whose answer the contract does not allow', async () => {
  const settings = { http: { contract: { file }, mocks: [list({ id: 7, name: 'x' })] } };
  await expect(createHost({ protocols: [http], settings })).rejects.toMatchObject({
    details: [
      {
        path: '/settings/http/mocks/0/response',
        message: 'mock "list" answers what the contract does not allow: /data/0/id must be a string',
      },
    ],
  });
  const { host } = await startHttp([list()], { contract: { file } });
  const { mocks } = host.kind('http');
  const create = (mock: object) => () => mocks.create(mock);
  expect(create({ request: { method: 'GET', path: '/v1/cows' }, response: {} })).toThrow(
    'has no operation in it',
  );
  expect(create({ request: { method: 'GET', path: '/v1/pets/{id}' }, response: { status: 418 } })).toThrow(
    'must be a status of GET /pets/{id}, which has 200, 404',
  );
  expect(
    create({
      request: { method: 'GET', path: '/v1/pets/{id}' },
      response: { json: { id: '1', name: 'x' } },
      sequence: [{}, { status: 404, json: {} }],
    }),
  ).toThrow('/error must be there');
  expect(create({ request: { method: 'GET', path: '/v1/pets/9' }, response: { body: 'x' } })).toThrow(
    '/headers/content-type must be application/json',
  );
});

it('checks an answer with templates when it is made', async () => {
  const mock = {
    id: 'one',
    request: { method: 'GET', path: '/v1/pets/{id}' },
    response: { json: { id: '{{request.params.id}}', name: '{{request.query.name}}' } },
  };
  const { url, host } = await startHttp([mock], { contract: { file } });
  expect(await read(`${url}/v1/pets/7?name=Tom`)).toMatchObject({
    status: 200,
    body: { id: '7', name: 'Tom' },
  });
  expect(await read(`${url}/v1/pets/7?name=`)).toMatchObject({
    status: 500,
    body: {
      detail: expect.stringContaining(
        'mock "one" answers what the contract does not allow: /body/name',
      ) as unknown,
    },
  });
  expect(host.journal.list()[1]?.contract?.violations).toMatchObject([{ in: 'answer', path: '/body/name' }]);
});

it('finds warnings of mocks without starting anything', async () => {
  const settings = { http: { contract: { file, mode: 'warn' }, mocks: [list({ name: 'x' })] } };
  expect(await findWarningsInSlices({ protocols: [http], settings })).toEqual([
    {
      path: '/settings/http/mocks/0/response',
      message: 'mock "list" answers what the contract does not allow: /data/0/id must be there',
    },
  ]);
});

it('answers what no mock matches, as Prism does', async () => {
  const { url, host } = await startHttp([], { contract: { file }, unmatched: 'made' });
  const ask = (prefer: string, path = '/pets/7') => read(`${url}/v1${path}`, { headers: { prefer } });
  const first = await ask('', '/pets');
  expect(first).toMatchObject({ status: 200, body: { data: [{ id: expect.any(String) as unknown }] } });
  expect(await ask('', '/pets')).toEqual(first);
  expect(await ask('')).toMatchObject({ body: { id: '1', name: 'Tom' } });
  expect(await ask('example=dog')).toMatchObject({ body: { id: '2', name: 'Rex' } });
  expect(await ask('example=cow')).toMatchObject({ status: 404 });
  expect(await ask('code=404')).toMatchObject({
    status: 404,
    body: { error: expect.any(String) as unknown },
  });
  expect(await ask('code=418')).toMatchObject({ status: 404, type: 'application/problem+json' });
  host.reset();
  const dynamic = [await ask('dynamic=true', '/pets'), await ask('dynamic=true', '/pets')];
  expect(dynamic[0]).not.toEqual(dynamic[1]);
  host.reset();
  expect(await ask('dynamic=true', '/pets')).toEqual(dynamic[0]);
  expect(await read(`${url}/v1/pets`, { headers: { accept: 'text/html' } })).toMatchObject({ status: 406 });
  expect(
    host.journal
      .list()
      .every(({ missed, contract }) => missed === undefined && contract?.violations === undefined),
  ).toBe(true);
});

it('counts what was touched, over resets', async () => {
  const { url, host } = await startHttp([list()], { contract: { file }, unmatched: 'made' });
  await read(`${url}/v1/pets`);
  await read(`${url}/v1/pets/7`);
  host.reset();
  await read(`${url}/v1/pets/8`, { headers: { prefer: 'code=404' } });
  await read(`${url}/v1/pets/x`);
  await read(`${url}/v1/cows`);
  const { contract } = host.kind('http');
  expect(contract?.coverage()).toEqual({
    ...{ protocol: 'http', file, mode: 'enforce', unknown: 1 },
    operations: { total: 3, touched: 2 },
    answers: { total: 5, touched: 3 },
    violations: { requests: 2, answers: 0 },
    list: [
      { name: 'GET /pets', requests: 1, answers: { 200: 1, default: 0 } },
      { name: 'POST /pets', requests: 0, answers: { 201: 0 } },
      { name: 'GET /pets/{id}', requests: 3, answers: { 200: 1, 404: 1 } },
    ],
  });
  contract?.clear();
  expect(contract?.coverage().operations.touched).toBe(0);
});

it('says what is wrong with the setting', async () => {
  const problemsOf = async (block: object): Promise<string> => {
    try {
      await createHost({ protocols: [http], settings: { http: block } });
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return '';
  };
  expect(await problemsOf({ contract: { file: join(folder, 'no.yaml') } })).toMatch(
    /\/settings\/http\/contract\/file: ".*no.yaml" cannot be read: ENOENT/,
  );
  writeFileSync(join(folder, 'other.json'), '{"asyncapi": "3.0.0"}');
  expect(await problemsOf({ contract: { file: join(folder, 'other.json') } })).toMatch(
    'it is no OpenAPI document',
  );
  expect(await problemsOf({ contract: { file, mode: 'strict' } })).toMatch('/contract/mode');
  expect(await problemsOf({ unmatched: 'made' })).toMatch('made answers need a contract');
  expect(await problemsOf({ contract: { file: join(folder, 'no.yaml'), mode: 'off' } })).toBe('');
  expect(await problemsOf({ contract: { file: 'http://169.254.169.254/openapi.json' } })).toMatch(
    'link-local or cloud metadata address',
  );
});

it('reads a contract and its references by HTTP, and none that leads to forbidden addresses', async () => {
  const served = (text: string) => ({ body: text, headers: { 'Content-Type': 'text/yaml' } });
  const whole = PETS.replaceAll("'#/components/schemas/Pet'", "'schemas.yaml#/Pet'");
  const schemas = `Pet: { type: object, required: [id], properties: { id: { type: string } } }`;
  const files = await startHttp([
    { request: { path: '/api/pets.yaml' }, response: served(whole) },
    { request: { path: '/api/schemas.yaml' }, response: served(schemas) },
    {
      request: { path: '/api/evil.yaml' },
      response: served(`openapi: 3.0.0\npaths: { /x: { $ref: 'http://[fd00:ec2::254]/x.yaml' } }`),
    },
    {
      request: { path: '/api/moved.yaml' },
      response: { status: 302, headers: { Location: 'http://169.254.169.254/x' } },
    },
  ]);
  const { url } = await startHttp([], {
    contract: { file: `${files.url}/api/pets.yaml` },
    unmatched: 'made',
  });
  expect(await read(`${url}/v1/pets`)).toMatchObject({
    status: 200,
    body: { data: [{ id: expect.any(String) as unknown }] },
  });
  for (const name of ['evil', 'moved'])
    await expect(startHttp([], { contract: { file: `${files.url}/api/${name}.yaml` } })).rejects.toThrow(
      'link-local or cloud metadata address',
    );
});

it('takes another contract by a reload when its file was written anew', async () => {
  const own = join(folder, 'own.yaml');
  writeFileSync(own, PETS);
  const { url, host } = await startHttp([list()], { contract: { file: own } });
  expect(await read(`${url}/v1/pets?limit=200`)).toMatchObject({ status: 400 });
  writeFileSync(own, PETS.replace('maximum: 100', 'maximum: 1000'));
  await host.reconfigure({
    protocols: [http],
    settings: { http: { host: '127.0.0.1', port: 0, mocks: [list()], contract: { file: own } } },
  });
  expect(await read(`${url}/v1/pets?limit=200`)).toMatchObject({ status: 200 });
});

it('holds the requests of spaces to the contract of their host', async () => {
  const { url, host } = await startHttp([list()], { contract: { file } });
  await host.spaces.create({ id: 'one' });
  const headers = { 'x-backlot-space': 'one' };
  expect(await read(`${url}/v1/pets?limit=0`, { headers })).toMatchObject({ status: 400 });
  expect(host.kind('http').contract?.coverage().operations.touched).toBe(1);
});

/** What openapi-typescript makes of the document, as far as the test asks for it. */
interface Paths {
  '/pets': {
    get: {
      parameters: { query: { limit?: number; tags?: string[] } };
      responses: { 200: { content: { 'application/json': { data: Pet[] } } }; default: Problem };
    };
    post: {
      requestBody: { content: { 'application/json': { name: string; nickname?: string } } };
      responses: { 201: { content: { 'application/json': Pet } }; default: Problem };
    };
  };
  '/pets/{id}': {
    get: {
      parameters: { path: { id: number } };
      responses: { 200: { content: { 'application/json': Pet } }; 404: Problem };
    };
  };
}

interface Pet {
  id: string;
  name: string;
}

interface Problem {
  content: { 'application/json': { title: string; errors?: { pointer: string; detail: string }[] } };
}

it('is an API to openapi-fetch, which is told what it does wrong', async () => {
  const { url } = await startHttp([list({ id: '1', name: 'Tom' })], {
    contract: { file },
    unmatched: 'made',
  });
  const client = createClient<Paths>({ baseUrl: `${url}/v1` });
  const all = await client.GET('/pets', { params: { query: { limit: 3, tags: ['cat', 'dog'] } } });
  expect(all.data).toEqual({ data: [{ id: '1', name: 'Tom' }] });
  const one = await client.GET('/pets/{id}', {
    params: { path: { id: 7 } },
    headers: { Prefer: 'example=dog' },
  });
  expect(one.data).toEqual({ id: '2', name: 'Rex' });
  const made = await client.POST('/pets', { body: { name: 'Ann' } });
  expect(made.response.status).toBe(201);
  expect(typeof made.data?.id).toBe('string');
  const cow = await client.GET('/pets', { params: { query: { tags: ['cow'] } } });
  expect(cow.error).toMatchObject({ errors: [{ pointer: expect.stringContaining('/query/tags') }] });
  const named = await client.POST('/pets', { body: { name: 'Ann', nickname: 'A' } });
  expect(named.response.status).toBe(422);
  expect(named.error?.errors).toEqual([{ pointer: '/body/nickname', detail: 'must not be there' }]);
});

it('says of a body that is too long that it was not held to the contract', async () => {
  const mock = {
    id: 'long',
    request: { method: 'POST', path: '/v1/pets' },
    response: { status: 201, json: { id: 7, name: 'x'.repeat(300_000) } },
  };
  const { url, host } = await startHttp([mock], { contract: { file, mode: 'enforce' } });
  expect((await read(`${url}/v1/pets`, post({ name: 7, more: 'x'.repeat(300_000) }))).status).toBe(201);
  expect(host.journal.list()[0]?.contract).toEqual({
    operation: 'POST /pets',
    unchecked: ['request', 'answer'],
  });
});
