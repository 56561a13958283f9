import { afterEach, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

async function start(type: 'basic' | 'ntlm'): Promise<HttpHost> {
  const auth = { type, users: 'people', ...(type === 'basic' ? { challenge: true } : {}) };
  const started = await startHttp([
    { request: { path: '/', auth }, response: { body: 'hello {{request.user}}' } },
  ]);
  started.host.collection('people').setAll([
    { id: '1', username: 'ann', password: 'secret' },
    { id: '2', username: 'bob', password: 'other', domain: 'CORP' },
    { id: '3', username: 'eve', password: 'x', disabled: true },
    { id: '4', username: 5, password: 'x' },
  ]);
  return started;
}

it('basic: lets in the users of a collection, as they are then', async () => {
  const { host, url } = await start('basic');
  const ask = async (person: string): Promise<string | number> => {
    const headers = { Authorization: `Basic ${Buffer.from(person).toString('base64')}` };
    const answer = await fetch(url, { headers });
    return answer.ok ? answer.text() : answer.status;
  };
  expect([await ask('ann:secret'), await ask('ann:other'), await ask('zoe:x'), await ask('eve:x')]).toEqual([
    'hello ann',
    401,
    401,
    401,
  ]);
  host.collection('people').create({ id: '5', username: 'zoe', password: 'x:y' });
  expect(await ask('zoe:x:y')).toBe('hello zoe');
  host.collection('people').remove('1');
  expect(await ask('ann:secret')).toBe(401);
});

itWithTool('curl', 'ntlm: curl proves to be one of the users of a collection', async () => {
  const { host, url } = await start('ntlm');
  const ask = async (person: string): Promise<string> =>
    (await runTool('curl', ['-s', '-w', ' %{http_code}', '-o', '-', '--ntlm', '-u', person, url])).out;
  expect(await ask('ann:secret')).toBe('hello ann 200');
  expect(await ask('ann:guess')).toMatch(/ 401$/);
  expect(await ask('CORP\\bob:other')).toBe('hello bob 200');
  expect(await ask('HOME\\bob:other')).toMatch(/ 401$/);
  expect(await ask('eve:x')).toMatch(/ 401$/);
  host.collection('people').update('1', { password: 'new' });
  expect(await ask('ann:new')).toBe('hello ann 200');
});

it('stands in place of a name and a password', async () => {
  const { host } = await start('basic');
  const add = (auth: object) => () =>
    host.kind('http').mocks.create({ request: { path: '/x', auth }, response: {} });
  expect(add({ type: 'basic', users: 'people', username: 'ann' })).toThrow(
    'in place of username and password',
  );
  expect(add({ type: 'digest', users: 'people', username: 'ann', password: 'x' })).toThrow(
    'no meaning for auth type digest',
  );
});
