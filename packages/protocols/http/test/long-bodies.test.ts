import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { LATER } from '@backlot/core/plugin';
import { parseFields, readFields } from '@backlot/kit/http';
import net from 'node:net';
import { compileConditions } from '../src/match/conditions.js';
import { HttpMessage } from '../src/message.js';
import { startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const URLENCODED = { 'content-type': 'application/x-www-form-urlencoded' };
const LONG = 1024 * 1024;

/** How often work lets others in, and what comes of it. */
function drive<T>(work: Iterator<unknown, T>): { readonly steps: number; readonly result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

function messageOf(type: string, body: string): HttpMessage {
  return new HttpMessage({
    method: 'POST',
    target: '/',
    rawHeaders: ['Content-Type', type],
    remote: '127.0.0.1:1',
    body: Buffer.from(body),
    auth: undefined,
    isSecure: false,
    preflight: false,
  });
}

describe('a long body', () => {
  it.each([
    ['plus signs', 'a+'],
    ['escapes', '%41'],
    ['broken escapes', '%zz'],
    ['no value', '&a'],
  ])('lets others in as often as it is long while its fields are read: %s', (_name, unit) => {
    const stepsOf = (size: number): number =>
      drive(readFields(Buffer.from(`a=${unit.repeat(size / unit.length)}`))).steps;
    expect(stepsOf(8 * LONG)).toBeGreaterThanOrEqual(30);
  });

  it.each([
    'a=1&b=2&a=3',
    '&&a&=b&c==d&e=%26%3d+%2B&f=%e2%82%ac&g=%&h=%4&i=%zz&ü=ö',
    `long=${'+%41x'.repeat(200_000)}%4&next=1`,
    `${'n%20'.repeat(200_000)}=v`,
    Array.from({ length: 12_000 }, (_, n) => `a${n}=${n}`).join('&'),
    '',
  ])('has the fields that a short one has: %.20s', (text) => {
    expect(drive(readFields(Buffer.from(text))).result).toEqual(parseFields(text));
  });

  it('is told to wait by a mock that looks at it, until it is decoded', () => {
    const tools = {
      attempt: (_at: string, _otherwise: undefined, make: () => unknown) => make(),
      pattern: () => ({ any: false, test: (value: unknown) => value !== undefined, reason: () => 'no' }),
      places: (patterns: object = {}) =>
        Object.keys(patterns).map(() => ({ any: false, test: (json: unknown) => json !== undefined })),
    };
    const conditionOf = (request: object) =>
      compileConditions(request, tools as never, '')[0] as (message: HttpMessage) => unknown;
    for (const [type, request, body] of [
      [URLENCODED['content-type'], { form: { a: 'x' } }, `a=${'+'.repeat(LONG)}`],
      ['application/json', { body_json: { a: 'x' } }, `{"a":"${'x'.repeat(LONG)}"}`],
      ['text/plain', { body: 'x' }, 'x'.repeat(LONG)],
    ] as const) {
      const condition = conditionOf(request);
      const message = messageOf(type, body);
      expect(message.isLong).toBe(true);
      message.letWait(true);
      expect(condition(message)).toBe(LATER);
      expect(drive(message.decode()).steps).toBeGreaterThanOrEqual(2);
      expect(condition(message)).toBe(true);
      // Who explains a message cannot wait.
      expect(condition(messageOf(type, body))).toBe(true);
    }
  });

  it('is matched by its form, its JSON and its text, in the order of the mocks, and near misses say why', async () => {
    const server = await startHttp([
      { id: 'form', request: { path: '/', form: { a: 'yes' } }, response: { body: 'form' } },
      { id: 'json', request: { path: '/', body_json: { 'b.0': 'yes' } }, response: { body: 'json' } },
      { id: 'text', request: { path: '/', body: '*needle*' }, response: { body: 'text' } },
      { id: 'none', request: { path: '/none', form: { a: 'yes' } }, response: {} },
    ]);
    const ask = async (path: string, body: string, headers: Record<string, string>) =>
      (await fetch(server.url + path, { method: 'POST', body, headers })).text();
    const filling = 'x+'.repeat(LONG);
    expect(await ask('/', `f=${filling}&a=yes`, URLENCODED)).toBe('form');
    expect(await ask('/', JSON.stringify({ f: filling, b: ['yes'] }), {})).toBe('json');
    expect(await ask('/', `${filling}needle`, {})).toBe('text');
    const missed = JSON.parse(await ask('/none', `f=${filling}&a=no`, URLENCODED)) as {
      near_misses: { reason: string }[];
    };
    expect(missed.near_misses[0]?.reason).toBe('form a: got "no", want "yes"');
  });

  it('of a client that has left meanwhile harms nobody', async () => {
    const server = await startHttp([
      { id: 'form', request: { path: '/', form: { a: 'yes' } }, response: {} },
    ]);
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const body = `a=${'+'.repeat(8 * LONG)}`;
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${URLENCODED['content-type']}`;
    socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => socket.resetAndDestroy());
    socket.on('error', () => undefined);
    await eventually(() => server.host.journal.list().length > 0 || socket.destroyed);
    expect(await (await fetch(`${server.url}/other`)).json()).toMatchObject({ error: 'no mock matched' });
  });
});
