import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { makeFolder, startCommand, type StartedServer } from '../command.js';
import { makePlace, type Place } from './place.js';

/** A kind that nothing of this repository is called. */
const KIND = 'parrot';

const exec = promisify(execFile);

let place: Place;
let elsewhere: ReturnType<typeof makeFolder>;
let server: StartedServer | undefined;
let client: Socket | undefined;
beforeAll(async () => {
  place = makePlace();
  elsewhere = makeFolder();
  const bin = process.env['BACKLOT_BIN'] ?? '';
  await exec(process.execPath, [bin, 'new-protocol', KIND, '--folder', place.path]);
  // Their own core: nothing here is shared with the command that loads the plugin.
  await place.install();
});
afterAll(async () => {
  client?.destroy();
  await server?.stop();
  elsewhere.remove();
  place.remove();
});

async function ask(line: string): Promise<string> {
  client?.write(`${line}\n`);
  const [answer] = (await once(client as Socket, 'data')) as [string];
  return answer;
}

async function api(path: string, body?: object): Promise<unknown> {
  const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${server?.urls['api'] ?? ''}${path}`, options)).json();
}

describe('a protocol that somebody makes outside of this repository', () => {
  it('is built, and passes the tests that it is born with', async () => {
    // What npm and jest have set for this run is not for that one.
    const { stdout, stderr } = await exec('npm', ['test'], {
      cwd: place.path,
      env: { PATH: process.env['PATH'] },
    }).catch((failed: { stdout: string; stderr: string }) => failed);
    expect(stdout + stderr).toMatch(/Tests: +\d+ passed/);
  });

  it('is served by the command, with all that a kind has', async () => {
    const flags = ['--plugin', place.path, '--only', KIND, `--${KIND}-port=0`, '--api-port=0'];
    server = await startCommand(flags, { cwd: elsewhere.path });
    client = connect(Number(new URL(server.urls[KIND] ?? '').port), 'localhost').setEncoding('utf8');
    await api(`/api/mocks/${KIND}`, { id: 'hello', match: 'hello *', response: '{{upper request.body}}!' });
    expect(await ask('hello world')).toBe('HELLO WORLD!\n');
    expect(await api(`/api/mocks/${KIND}`, { match: 're:(', response: '' })).toMatchObject({
      details: [{ path: '/match' }],
    });
    await api(`/api/fault/${KIND}`, { response: 'no' });
    expect(await ask('hello again')).toBe('no\n');
    expect(await api(`/api/logs?protocol=${KIND}`)).toMatchObject([
      { body: 'hello world', matched_id: 'hello' },
      { body: 'hello again', matched_id: 'hello', fault: true },
    ]);
    const protocols = (await api('/api/protocols')) as { protocol: string }[];
    expect(protocols.at(-1)?.protocol).toBe(KIND);
  });
});
