import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createHost, exportSource, importFile, readImport, runExport, type Imported } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { http } from '@backlot/http';
import { importers, parseTree } from '@backlot/imports';
import { tcp } from '@backlot/tcp';
import { afterEach, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formatsPlugin from 'ajv-formats';
import { connect } from 'node:net';
import { har } from '../src/exports/har.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The public schema of HAR 1.2, out of the package `har-schema`. */
function harSchema(): (value: unknown) => string | undefined {
  const folder = new URL('../node_modules/har-schema/lib/', import.meta.url);
  const ajv = new Ajv({ strict: false, allErrors: true });
  formatsPlugin.default(ajv);
  for (const name of readdirSync(fileURLToPath(folder)).filter((one) => one.endsWith('.json'))) {
    const schema = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Record<string, unknown>;
    // Draft 6 and draft 7 say the same of what stands in it.
    delete schema['$schema'];
    ajv.addSchema({ ...schema, $id: name }, name);
  }
  const validate = ajv.getSchema('har.json');
  if (validate === undefined) throw new Error('there is no schema of HAR');
  return (value) => (validate(value) === true ? undefined : ajv.errorsText(validate.errors));
}

it('is what the public schema of HAR 1.2 allows, whatever the exchange', async () => {
  const host = await createHost({
    protocols: [http, tcp],
    settings: {
      http: {
        port: 0,
        mocks: [
          {
            id: 'item',
            request: { path: '/items/{id}' },
            response: { json: { id: '{{request.params.id}}' }, headers: { 'Set-Cookie': 'a=1' } },
          },
          { id: 'bytes', request: { path: '/bytes' }, response: { body_base64: '/w==' } },
          {
            id: 'moved',
            request: { path: '/moved' },
            response: { status: 302, headers: { Location: '/items/1' } },
          },
          { id: 'gone', request: { path: '/gone' }, response: { broken: 'reset' } },
        ],
      },
      tcp: { port: 0, mocks: [{ match: 'ping', response: 'pong' }] },
    },
  });
  closers.push(() => host.stop(0));
  await host.start();
  const { url = '' } = host.kind('http');
  await fetch(`${url}/items/7?q=a%20b&q=c`, { headers: { cookie: 'b=2; c=3' } });
  await fetch(`${url}/items/7`, {
    method: 'POST',
    body: '{"n":1}',
    headers: { 'content-type': 'application/json' },
  });
  await fetch(`${url}/items/7`, { method: 'PUT', body: new URLSearchParams({ a: 'b' }) });
  await fetch(`${url}/bytes`, { method: 'POST', body: Buffer.from([0, 255, 1]) });
  await fetch(`${url}/moved`, { redirect: 'manual' });
  await fetch(`${url}/gone`).catch(() => undefined);
  await fetch(`${url}/nothing`);
  await new Promise<void>((resolve) => {
    const socket = connect(host.kind('tcp').address?.port ?? 0, '127.0.0.1', () => socket.write('ping'));
    closers.push(() => socket.destroy());
    socket.once('data', () => resolve());
  });
  const { pieces, report } = runExport(har, exportSource(host));
  let text = '';
  for (const piece of pieces) text += String(piece ?? '');
  const value = JSON.parse(text) as { log: { entries: unknown[] } };
  expect(report().written).toEqual({ exchanges: 8 });
  expect(value.log.entries).toHaveLength(8);
  const problemOf = harSchema();
  expect(problemOf({ log: { version: '1.2' } })).toContain('creator');
  expect(problemOf(value)).toBeUndefined();
});

it('is the mocks again that answered, of a description that others wrote', async () => {
  const read = (name: string, content: string): Imported => {
    const file = importFile({ name, content, ...parseTree(content, name) });
    return runAtOnce(readImport(file, importers, { seed: 1 })).imported;
  };
  const sample = '../../../packages/imports/test/samples/openapi/v3.1/petstore.json';
  const { protocols } = read('petstore.json', readFileSync(new URL(sample, import.meta.url), 'utf8'));
  const host = await createHost({
    protocols: [http],
    settings: { http: { port: 0, ...protocols?.['http'] } },
  });
  closers.push(() => host.stop(0));
  await host.start();
  const url = `${host.kind('http').url ?? ''}/v2`;
  const pet = await (await fetch(`${url}/pet/7`)).text();
  const { status } = await fetch(`${url}/store/order`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"petId":7}',
  });
  const text = [...runExport(har, exportSource(host)).pieces].join('');
  expect(harSchema()(JSON.parse(text))).toBeUndefined();
  const again = read('log.har', text).protocols?.['http']?.['mocks'] as readonly object[];
  expect(again).toHaveLength(2);
  expect(again).toContainEqual(
    expect.objectContaining({
      request: expect.objectContaining({ method: 'GET', path: '/v2/pet/7' }),
      response: expect.objectContaining({ status: 200, json: JSON.parse(pet) }),
    }),
  );
  expect(again).toContainEqual(
    expect.objectContaining({
      request: expect.objectContaining({ method: 'POST', body: { json: { equals: { petId: 7 } } } }),
      response: expect.objectContaining({ status }),
    }),
  );
});
