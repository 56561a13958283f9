import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeFolder, runCommand, type Ended } from './command.js';

let folder: ReturnType<typeof makeFolder>;
let upstream: Server;
let name = 'Ann';
let asked = 0;

beforeAll(async () => {
  folder = makeFolder();
  upstream = createServer((_request, response) => {
    asked += 1;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ name, token: 'top-secret' }));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    `protocols:\n  http:\n    upstream: { url: "http://127.0.0.1:${port}", mode: spy }\n`,
  );
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  folder.remove();
});

/** Runs a program that asks for these paths. */
function asking(command: string, flags: readonly string[], paths: readonly string[]): Promise<Ended> {
  const script = `for (const path of ${JSON.stringify(paths)}) console.log(await (await fetch(process.env.HTTP_URL + path)).text())`;
  return runCommand([command, ...flags, '--', process.execPath, '--input-type=module', '-e', script], {
    cwd: folder.path,
  });
}

describe('recording and replaying with the command', () => {
  it('records what a program asks for, and replays it strictly', async () => {
    const recorded = await asking(
      'run',
      ['--upstream', 'record_new', '--export', 'recorded.yaml'],
      ['/users/1', '/users/2'],
    );
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(asked).toBe(2);
    const file = readFileSync(join(folder.path, 'recorded.yaml'), 'utf8');
    expect(file).toContain('id: get-users-1');
    expect(file).not.toContain('top-secret');
    const replay = ['-c', 'recorded.yaml', '--upstream', 'replay'];
    expect(await asking('run', replay, ['/users/2', '/users/1'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: '{"name":"Ann","token":"REDACTED"}\n'.repeat(2),
    });
    const other = await asking('run', replay, ['/users/1', '/users/3']);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/error: http: 1 message was not recorded:\n {2}.*GET \/users\/3/);
    expect(other.stderr).toContain('error: http: nobody used 1 recording:\n  get-users-2\n');
    expect(asked).toBe(2);
  });

  it('says whether the mocks are still true', async () => {
    const flags = ['-c', 'recorded.yaml'];
    expect(await asking('verify-upstream', flags, ['/users/1'])).toMatchObject({ code: 0, stderr: '' });
    name = 'Bob';
    const different = await asking('verify-upstream', [...flags, '--junit', 'report.xml'], ['/users/1']);
    expect(different.code).toBe(1);
    expect(different.stdout).toContain('"Ann"');
    expect(different.stderr).toMatch(
      /error: http: the upstream answers 1 message of 1 otherwise than the mocks:\n {2}.*GET \/users\/1.*\n {4}body \/name: the mock has "Ann", the upstream "Bob"\n/,
    );
    expect(readFileSync(join(folder.path, 'report.xml'), 'utf8')).toContain('failures="1"');
    const none = await asking('verify-upstream', flags, []);
    expect([none.code, none.stderr]).toEqual([
      1,
      'error: http: nothing was compared, since no mock has answered a message\nno message was received\n',
    ]);
  });

  it('says what is wrong before the command starts', async () => {
    writeFileSync(join(folder.path, 'none.yaml'), 'protocols: { http: {}, tcp: {} }\n');
    expect(await asking('verify-upstream', ['-c', 'none.yaml'], ['/'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: no protocol has an upstream; /),
    });
    writeFileSync(
      join(folder.path, 'tcp.yaml'),
      'protocols: { tcp: { upstream: { url: "tcp://localhost:1", mode: passthrough } } }\n',
    );
    expect(await asking('run', ['-c', 'tcp.yaml', '--upstream', 'diff'], [])).toMatchObject({
      code: 1,
      stderr: 'error: tcp cannot do diff with an upstream\n',
    });
  });
});
