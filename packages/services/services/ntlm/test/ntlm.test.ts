import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { http } from '@backlot/http';
import { useBacklot } from '@backlot/testing';
import { NtlmClient, type NtlmCredentials } from 'axios-ntlm';
import httpntlm from 'httpntlm';

const backlot = useBacklot({ protocols: [http], services: ['ntlm'] });

const OLD_HASHES = `openssl_conf = all
[all]
providers = providers
[providers]
default = on
legacy = on
[on]
activate = 1
`;
const ANN = { username: 'ann', password: 'password', domain: 'CORP' };

function connect(person: NtlmCredentials = ANN) {
  return NtlmClient(person, { baseURL: backlot.env.NTLM_URL });
}

/** The status of what axios throws, and the body. */
async function refusal(promise: Promise<unknown>): Promise<{ status: number; data: unknown }> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { response } = error as { response: { status: number; data: unknown } };
  return { status: response.status, data: response.data };
}

describe('axios-ntlm', () => {
  it('logs on, and reads and writes documents as that user', async () => {
    const client = connect();
    expect((await client.get('/whoami')).data).toEqual({ user: 'ann', domain: 'CORP' });
    const made = await client.post<{ id: string }>('/documents', { title: 'Plan' });
    expect([made.status, made.data]).toMatchObject([201, { title: 'Plan', author: 'ann' }]);
    const { id } = made.data;
    expect((await client.put(`/documents/${id}`, { title: 'Plans' })).data).toMatchObject({
      id,
      title: 'Plans',
    });
    expect((await client.get(`/documents/${id}`)).data).toMatchObject({ title: 'Plans' });
    expect((await client.get('/documents?author=ann&limit=1')).data).toMatchObject({
      documents: [{ id: 'welcome' }],
      has_more: true,
    });
    expect((await client.get('/documents?after=welcome')).data).toMatchObject({
      documents: [{ id }],
      has_more: false,
    });
    expect((await client.delete(`/documents/${id}`)).status).toBe(204);
    expect(await refusal(client.get(`/documents/${id}`))).toEqual({
      status: 404,
      data: { error: 'not_found', message: `There is no document ${id}.` },
    });
    expect(await refusal(client.post('/documents', { name: 'x' }))).toMatchObject({ status: 400 });
    expect(await refusal(client.get('/nowhere'))).toMatchObject({
      status: 404,
      data: { message: expect.stringContaining('/whoami') },
    });
  });

  it.each([
    [{ ...ANN, password: 'guess' }],
    [{ ...ANN, domain: 'HOME' }],
    [{ username: 'zoe', password: 'password', domain: '' }],
    [{ username: 'eve', password: 'password', domain: '' }],
  ])('is refused as %j', async (person) => {
    expect(await refusal(connect(person).get('/whoami'))).toMatchObject({ status: 401 });
    expect(await refusal(connect(person).get('/nowhere'))).toMatchObject({ status: 401 });
  });

  it('knows users as they are at that time', async () => {
    const zoe = { username: 'zoe', password: 'secret', domain: 'ANY' };
    backlot.collection('ntlm:users').create({ username: 'zoe', password: 'secret' });
    expect((await connect(zoe).get('/whoami')).data).toMatchObject({ user: 'zoe' });
    backlot.collection('ntlm:users').update('zoe', { password: 'new' });
    expect((await refusal(connect(zoe).get('/whoami'))).status).toBe(401);
  });

  it('scenarios', async () => {
    backlot.scenarios.activate('ntlm:forbidden');
    expect(await refusal(connect().get('/whoami'))).toEqual({
      status: 403,
      data: { error: 'forbidden', message: 'ann may not do this.' },
    });
    expect((await refusal(connect({ ...ANN, password: 'x' }).get('/whoami'))).status).toBe(401);
    backlot.scenarios.deactivate('ntlm:forbidden');
    backlot.scenarios.activate('ntlm:refused');
    expect((await fetch(`${backlot.env.NTLM_URL}/whoami`)).headers.get('www-authenticate')).toBe('NTLM');
    backlot.scenarios.deactivate('ntlm:refused');
    backlot.scenarios.activate('ntlm:outage');
    expect((await refusal(connect().get('/whoami'))).status).toBe(503);
  });

  it('slow lets the client give up', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('ntlm:slow');
    await expect(connect().get('/whoami', { timeout: 200 })).rejects.toMatchObject({ code: 'ECONNABORTED' });
  });

  it('two users at a time are each who they are', async () => {
    const [ann, bob] = [connect(), connect({ username: 'bob', password: 'password', domain: '' })];
    const names = await Promise.all(
      [ann, bob, ann, bob].map(async (client) => {
        const { data } = await client.get<{ user: string }>('/whoami');
        return data.user;
      }),
    );
    expect(names).toEqual(['ann', 'bob', 'ann', 'bob']);
  });

  it('a mock of the test lets the same users in', async () => {
    backlot.http.mock({
      request: { path: '/ntlm/report', auth: { type: 'ntlm', users: 'ntlm:users' } },
      response: { body: 'a report for {{request.user}}' },
      priority: 1,
    });
    expect((await connect().get('/report')).data).toBe('a report for ann');
    expect((await refusal(connect({ ...ANN, password: 'x' }).get('/report'))).status).toBe(401);
  });
});

describe('httpntlm', () => {
  it('writes a document as its user', async () => {
    const options = {
      ...ANN,
      url: `${backlot.env.NTLM_URL}/documents`,
      workstation: 'pc',
      json: { title: 'Plan' },
    };
    const answer = await new Promise<httpntlm.Answer>((resolve, reject) => {
      httpntlm.post(options, (error, result) => (error === null ? resolve(result) : reject(error)));
    });
    expect([answer.statusCode, JSON.parse(answer.body)]).toMatchObject([
      201,
      { title: 'Plan', author: 'ann' },
    ]);
  });

  it.each([
    ['password', 200],
    ['guess', 401],
  ])('with %s gets %i', async (password, status) => {
    const options = { ...ANN, password, url: `${backlot.env.NTLM_URL}/whoami`, workstation: 'pc' };
    const answer = await new Promise<httpntlm.Answer>((resolve, reject) => {
      httpntlm.get(options, (error, result) => (error === null ? resolve(result) : reject(error)));
    });
    expect(answer.statusCode).toBe(status);
    if (status === 200) expect(JSON.parse(answer.body)).toEqual({ user: 'ann', domain: 'CORP' });
  });
});

itWithTool('curl', 'curl logs on, and a request without credentials is asked for them', async () => {
  const url = `${backlot.env.NTLM_URL}/whoami`;
  const { out } = await runTool('curl', ['-s', '--ntlm', '-u', 'CORP\\ann:password', url]);
  expect(JSON.parse(out)).toEqual({ user: 'ann', domain: 'CORP' });
  const anonymous = await fetch(url);
  expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([401, 'NTLM']);
});

itWithTool('curl', 'curl keeps its logon for all that it asks on one connection', async () => {
  const url = `${backlot.env.NTLM_URL}/documents`;
  const args = ['-s', '--ntlm', '-u', 'ann:password', '-w', '%{num_connects} ', '-o', '/dev/null'];
  const { out } = await runTool('curl', [...args, url, '-o', '/dev/null', `${url}/welcome`]);
  expect(out.trim()).toBe('1 0');
  expect((await runTool('curl', [...args, '-u', 'ann:guess', '-f', url])).code).toBe(22);
});

itWithTool('python3:requests_ntlm', 'requests-ntlm reads and writes, and is refused', async () => {
  const script = `
import os, requests
from requests_ntlm import HttpNtlmAuth
url = os.environ['NTLM_URL']
session = requests.Session()
session.auth = HttpNtlmAuth('CORP\\\\ann', 'password')
print(session.get(url + '/whoami').json()['user'])
made = session.post(url + '/documents', json={'title': 'Plan'})
print(made.status_code, session.get(url + '/documents/' + made.json()['id']).json()['title'])
print(session.get(url + '/nowhere').status_code)
print(requests.get(url + '/whoami', auth=HttpNtlmAuth('CORP\\\\ann', 'guess')).status_code)
`;
  const folder = mkdtempSync(join(tmpdir(), 'backlot-'));
  try {
    // NTLM hashes by MD4, which OpenSSL 3 has among what is old.
    const OPENSSL_CONF = join(folder, 'openssl.cnf');
    writeFileSync(OPENSSL_CONF, OLD_HASHES);
    const { out, err } = await runTool(PYTHON, ['-c', script], { env: { ...backlot.env, OPENSSL_CONF } });
    expect([err, out]).toEqual(['', 'ann\n201 Plan\n404\n401\n']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
