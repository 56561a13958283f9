import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { follow, makeFolder, runCommand, type Ended } from './command.js';

let folder: ReturnType<typeof makeFolder>;
beforeAll(() => {
  folder = makeFolder();
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    'protocols:\n  http:\n    port: 8080\n    mocks:\n      - id: hello\n        request: {path: /hello}\n        response: {body: Hello}\n  tcp: {port: 8083}\napi: {token: secret}\n',
  );
});
afterAll(() => folder.remove());

function run(script: string, ...flags: string[]): Promise<Ended> {
  return runCommand(['run', ...flags, '--', process.execPath, '-e', script, 'an', '--argument'], {
    cwd: folder.path,
  });
}

describe('backlot run', () => {
  it('gives the command the urls of free ports, and its arguments', async () => {
    const { code, stdout, stderr } = await run(
      `
      const { HTTP_URL, TCP_URL, DNS_URL, BACKLOT_URL, BACKLOT_API_TOKEN } = process.env;
      const mocks = await (await fetch(BACKLOT_URL + '/api/mocks/http', { headers: { authorization: 'Bearer ' + BACKLOT_API_TOKEN } })).json();
      console.log(JSON.stringify({ hello: await (await fetch(HTTP_URL + '/hello')).text(), TCP_URL, DNS_URL, mocks: mocks.length, args: process.argv.slice(1) }));
    `,
      '--seed',
      '1',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      hello: 'Hello',
      TCP_URL: expect.stringMatching(/^tcp:\/\/localhost:\d+$/),
      mocks: 1,
      args: ['an', '--argument'],
    });
    expect(stdout).not.toMatch(/:808[03]\b/);
  });

  it('tells it where the API of Toxiproxy is', async () => {
    const script = `
      const { TOXIPROXY_URL, MY_PROXY } = process.env;
      const proxies = await (await fetch(TOXIPROXY_URL + '/proxies')).json();
      console.log(Object.keys(proxies).join(), MY_PROXY === TOXIPROXY_URL);
    `;
    const flags = ['--toxiproxy-port', '0', '--only', 'http', '--env', 'TOXIPROXY=MY_PROXY'];
    const { code, stdout, stderr } = await run(script, ...flags);
    expect([code, stdout, stderr]).toEqual([0, 'http true\n', '']);
  });

  it('gives it every address as url, and as host and port, and under names of its own', async () => {
    const flags = ['KAFKA=MY_BROKERS', 'KAFKA_HOST=MY_HOST', 'BACKLOT_API_TOKEN=MY_TOKEN', 'BACKLOT=MY_API'];
    const { code, stdout, stderr } = await run(
      'console.log(JSON.stringify(process.env))',
      '--only=http,kafka',
      '--env',
      'HTTP_PORT=MY_PORT',
      ...flags.map((flag) => `--env=${flag}`),
    );
    expect([code, stderr]).toEqual([0, '']);
    const env = JSON.parse(stdout) as Record<string, string>;
    const broker = `localhost:${env['KAFKA_PORT']}`;
    expect(env).toMatchObject({
      KAFKA_BROKERS: broker,
      KAFKA_URL: broker,
      KAFKA_HOST: 'localhost',
      KAFKA_PORT: expect.stringMatching(/^[1-9]\d*$/),
      HTTP_URL: `http://localhost:${env['HTTP_PORT']}`,
      HTTP_HOST: 'localhost',
      MY_BROKERS: broker,
      MY_HOST: 'localhost',
      MY_PORT: env['HTTP_PORT'],
      MY_TOKEN: 'secret',
      MY_API: env['BACKLOT_URL'],
    });
    expect(env).not.toHaveProperty('TCP_URL');
    // Nothing is encrypted, so there is nothing to trust.
    expect(env).not.toHaveProperty('BACKLOT_CA_FILE');
  });

  it.each([
    [
      'KAFKA=X',
      /^error: there is no variable "KAFKA"; there are HTTP_URL, HTTP_HOST, HTTP_PORT, TCP_URL, TCP_HOST, TCP_PORT, BACKLOT_URL, BACKLOT_API_TOKEN\n$/,
    ],
    ['HTP_URL=X', /^error: there is no variable "HTP_URL"; did you mean "HTTP_URL"\?; there are /],
    ['KAFKA', /^error: "KAFKA" is not a further name for a variable; write NAME=OWN_NAME, as in /],
    ['=X', /^error: "=X" is not a further name/],
    ['HTTP=', /^error: "HTTP=" is not a further name/],
    ['HTTP=MY=URL', /^error: "MY=URL" cannot be the name of a variable, for HTTP; /],
  ])('refuses --env %s before the command starts', async (pair, message) => {
    const { code, stdout, stderr } = await run("console.log('started')", '--env', pair);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('asks for the token of the environment, as start does, and tells it', async () => {
    const script =
      "const get = (headers) => fetch(process.env.BACKLOT_URL + '/api/mocks/http', { headers }).then((answer) => answer.status); console.log(await get({}), await get({ authorization: 'Bearer ' + process.env.BACKLOT_API_TOKEN }));";
    const { stdout } = await runCommand(['run', '--', process.execPath, '-e', script], {
      cwd: folder.path,
      env: { BACKLOT_API_TOKEN: 'of the environment'.replaceAll(' ', '-') },
    });
    expect(stdout).toBe('401 200\n');
  });

  it('ends with the exit code of the command', async () => {
    expect((await run('process.exit(7)')).code).toBe(7);
    const missing = await runCommand(['run', '--', 'no-such-command-here'], { cwd: folder.path });
    expect(missing).toMatchObject({
      code: 127,
      stderr: 'error: command "no-such-command-here" is not there\n',
    });
  });

  it('starts only what is asked for', async () => {
    const { stdout } = await run(
      'console.log(Object.keys(process.env).filter(name => /^(HTTP|TCP|DNS)_URL$/.test(name)).join())',
      '--only',
      'tcp,dns',
    );
    expect(stdout.trim().split(',').sort()).toEqual(['DNS_URL', 'TCP_URL']);
  });

  it('fails on messages that met no mock, when told to', async () => {
    const script =
      "await fetch(process.env.HTTP_URL + '/hello'); await fetch(process.env.HTTP_URL + '/helo');";
    expect((await run(script)).code).toBe(0);
    const { code, stderr } = await run(script, '--fail-on-unmatched');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: 1 message met no mock:\n {2}\S+ http GET \/helo 404 .*closest hello/);
    // It is not said twice, beside the last messages.
    expect(stderr.match(/met no mock/g)).toHaveLength(1);
    expect((await run("await fetch(process.env.HTTP_URL + '/hello')", '--fail-on-unmatched')).code).toBe(0);
  });

  it('ends with 1 unless what a check expects was received, and reports it', async () => {
    const check = join(folder.path, 'check.yaml');
    const report = join(folder.path, 'report.xml');
    writeFileSync(check, 'expect: [{http: {mock: hello}, times: 1}, {tcp: {}, times: 0, name: "<tcp>"}]\n');
    const once = "await fetch(process.env.HTTP_URL + '/hello');";
    const flags = [`--verify=${check}`, `--junit=${report}`];
    expect(await run(once, ...flags)).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(report, 'utf8')).toContain('<testsuites tests="3" failures="0" errors="0">');
    const { code, stdout, stderr } = await runCommand(
      ['run', ...flags, '--', process.execPath, '-e', once + once],
      { cwd: folder.path, env: { GITHUB_ACTIONS: 'true' } },
    );
    const lines = [
      'not as expected: {"http":{"mock":"hello"},"times":1}',
      '      got 2 messages, want exactly 1',
    ];
    const [failure, last = ''] = stderr.split('the last 2 messages:\n');
    expect([code, failure]).toEqual([1, `error: ${lines.join('\n')}\n`]);
    expect(last.match(/ http GET \/hello 200 /g)).toHaveLength(2);
    expect(stdout).toBe(`::error title=backlot::${lines.join('%0A')}\n`);
    const xml = readFileSync(report, 'utf8');
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="0">');
    expect(xml).toContain('name="&lt;tcp&gt;: {&quot;tcp&quot;:{},&quot;times&quot;:0}" time="0"/>');
    expect(xml).toContain('<failure message="not as expected: {&quot;http&quot;');
    writeFileSync(check, 'expect: [{htp: {}}]\n');
    const refused = await run('process.exit(0)', ...flags);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^error: .*check\.yaml: \/expect\/0\/htp: .*did you mean "http"\?/);
  });

  it('passes signals on', async () => {
    const script =
      "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('waiting');";
    const running = follow(['run', '--', process.execPath, '-e', script], { cwd: folder.path });
    await running.until(/waiting/);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(3);
  });
});
