import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainFailure } from '../src/cli/run-traffic.js';
import { formatInColour } from '../src/cli/entry-line.js';
import { follow, makeFolder, runCommand, startCommand, type RunningCommand } from './command.js';

let folder: ReturnType<typeof makeFolder>;
beforeAll(() => {
  folder = makeFolder();
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    'api: {port: 0}\nprotocols:\n  http:\n    port: 0\n    mocks: [{id: hello, request: {path: /hello}, response: {body: Hello}}]\n',
  );
});
afterAll(() => folder.remove());

describe('start --log', () => {
  it('writes a line of text for each exchange, without colour where there is no terminal', async () => {
    const server = await startCommand(['--log', 'text'], { cwd: folder.path });
    await fetch(`${server.urls['http']}/hello`);
    await fetch(`${server.urls['http']}/helo`);
    await server.until(/ \/helo .*\n/);
    const { code, stdout, stderr } = await server.stop();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} http GET \/hello 200 \d+ms -> hello$/),
      expect.stringMatching(
        /^\d\d:\d\d:\d\d\.\d{3} http GET \/helo 404 \d+ms -> no mock \(closest hello: .*\)$/,
      ),
      '',
    ]);
  });

  it('writes JSON alone on standard output, and is held up by no reader', async () => {
    const server = await startCommandOnErrors(['--log', 'json', '--print-ca', '-c', 'backlot.yaml']);
    const { child } = server;
    child.stdout?.pause();
    const body = 'x'.repeat(60_000);
    // More than a pipe and the queue hold; each is answered though nobody reads.
    for (let index = 0; index < 60; index += 1)
      expect((await fetch(`${server.http}/hello`, { method: 'POST', body })).status).toBe(200);
    child.stdout?.resume();
    await server.says(/^warning: (\d+) lines of traffic were left out: standard output is read too slowly$/m);
    child.kill('SIGTERM');
    // From the beginning on: the certificate is no JSON.
    const entries = (await server.ended).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { protocol: string; method: string });
    expect(entries.every(({ protocol, method }) => protocol === 'http' && method === 'POST')).toBe(true);
    expect(entries.length).toBeLessThan(60);
    expect(entries.length).toBeGreaterThan(10);
  });

  it('refuses another format', async () => {
    expect(await runCommand(['start', '--log', 'xml'], { cwd: folder.path })).toMatchObject({
      code: 1,
      stderr: 'error: --log is "xml"; it must be text, json or none\n',
    });
  });

  it('colours what came of a message', () => {
    const entry = { timestamp: '2030-01-01T10:00:00.000Z', protocol: 'http', method: 'GET', path: '/x' };
    const colours = (more: object): unknown[] =>
      formatInColour({ ...entry, ...more }).map(({ colour }) => colour);
    expect(colours({ status: 200, matched_id: 'a' })).toEqual([
      'dim',
      undefined,
      undefined,
      undefined,
      undefined,
      'green',
    ]);
    expect(colours({ status: 503, missed: true, fault: true })).toEqual([
      'dim',
      undefined,
      undefined,
      undefined,
      'red',
      'red',
      'yellow',
    ]);
  });
});

describe('run', () => {
  const script = `
    await fetch(process.env.HTTP_URL + '/hello');
    await fetch(process.env.HTTP_URL + '/helo?a=1', { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } });
    process.exit(3);
  `;
  const run = (...flags: string[]): ReturnType<typeof runCommand> =>
    runCommand(['run', ...flags, '--', process.execPath, '--input-type=module', '-e', script], {
      cwd: folder.path,
    });

  it('says what was received when the command fails, and writes it as JSON lines', async () => {
    const { code, stdout, stderr } = await run('--logs', 'traffic.jsonl');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      '1 message met no mock:',
      expect.stringMatching(/^ {2}\S+ http POST \/helo 404 \d+ms -> no mock \(closest hello: /),
      'the last 2 messages:',
      expect.stringMatching(/^ {2}\S+ http GET \/hello 200 \d+ms -> hello$/),
      expect.stringMatching(/^ {2}\S+ http POST \/helo 404/),
    ]);
    const lines = readFileSync(join(folder.path, 'traffic.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { path: string }).path)).toEqual(['/hello', '/helo']);
  });

  it('says the last 50, and 20 of those that met no mock', async () => {
    const host = await createHost({ protocols: [http] });
    await host.start();
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      for (let count = 0; count < 60; count += 1) await fetch(`${host.kind('http').url}/${count}`);
      explainFailure(host);
      const lines = written.mock.calls.map(([text]) => String(text).trimEnd());
      expect(lines[0]).toBe('60 messages met no mock:');
      expect(lines[21]).toBe('  and 40 more');
      expect(lines[22]).toBe('the last 50 messages:');
      expect(lines.slice(23)).toHaveLength(50);
      expect(lines[23]).toContain(' /10 ');
      expect(lines.at(-1)).toContain(' /59 ');
    } finally {
      written.mockRestore();
      await host.stop(0);
    }
  });

  it('writes HAR', async () => {
    await run('--logs', 'traffic.har');
    const { log } = JSON.parse(readFileSync(join(folder.path, 'traffic.har'), 'utf8')) as {
      log: { version: string; creator: object; entries: Record<string, unknown>[] };
    };
    expect([log.version, log.entries.length]).toEqual(['1.2', 2]);
    expect(log.entries[1]).toMatchObject({
      startedDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      request: {
        method: 'POST',
        url: expect.stringMatching(/^http:\/\/localhost:\d+\/helo\?a=1$/),
        queryString: [{ name: 'a', value: '1' }],
        postData: { mimeType: 'text/plain', text: 'text' },
        bodySize: 4,
      },
      response: { status: 404, statusText: 'Not Found' },
      comment: expect.stringMatching(/^no mock \(closest hello: /),
      _protocol: 'http',
    });
    expect((await run('--logs', 'no/such/folder.har')).stderr).toMatch(
      /^error: no\/such\/folder\.har cannot be written: ENOENT/m,
    );
  });
});

/** A server whose ready line stands on standard error. */
async function startCommandOnErrors(args: readonly string[]): Promise<{
  readonly child: RunningCommand['child'];
  readonly ended: RunningCommand['ended'];
  readonly http: string;
  says(pattern: RegExp): Promise<RegExpExecArray>;
}> {
  const running = follow(['start', ...args], { cwd: folder.path });
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(running.errors());
        if (found !== null) resolve(found);
      };
      running.child.stderr?.on('data', look);
      void running.ended.then(() => reject(new Error(running.errors())));
      look();
    });
  const [, http = ''] = await says(/^ready http=(\S+)/m);
  return { child: running.child, ended: running.ended, http, says };
}
