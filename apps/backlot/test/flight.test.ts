import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { follow, makeFolder, runCommand, type Ended } from './command.js';

const folder = makeFolder();

beforeAll(() => {
  writeFileSync(
    join(folder.path, 'backlot.yaml'),
    `api: { port: 0 }
protocols:
  http:
    port: 0
    mocks:
      - { id: seq, request: { path: /seq }, sequence: [{ body: one }, { body: two }] }
      - { id: made, request: { path: /made }, respond: { module: ./made.mjs } }
  redis: { port: 0 }
`,
  );
  writeFileSync(join(folder.path, 'made.mjs'), 'export default () => ({ body: "made" });\n');
});
afterAll(() => folder.remove());

function run(args: readonly string[], url?: string): Promise<Ended> {
  return runCommand(args, { cwd: folder.path, ...(url === undefined ? {} : { env: { BACKLOT_URL: url } }) });
}

/** Where the parts of a server listen, of its last line. */
function placesOf(line: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    line
      .split(' ')
      .slice(1)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

describe('one file with all that a server has', () => {
  it('is saved by a running server, and opened as it was, also without files that are elsewhere', async () => {
    const server = follow(['start'], { cwd: folder.path });
    const places = placesOf((await server.until(/^ready .*api=\S+/m))[0]);
    expect(
      await (
        await fetch(`${places['http']}/seq`, { headers: { authorization: 'Bearer geheimgeheim' } })
      ).text(),
    ).toBe('one');
    await fetch(`${places['http']}/made`);
    const { api = '' } = places;
    expect(await run(['save', 'a.flight.gz'], api)).toMatchObject({
      code: 0,
      stdout: 'wrote a.flight.gz; now: backlot open a.flight.gz\n',
    });
    expect(await run(['save', 'a.flight.gz'], api)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a.flight.gz is there already; --force replaces it') as unknown,
    });
    const exported = await run(['export', '--format', 'curl', '--out', 'a.sh'], api);
    expect(exported).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'a.sh: curl command lines of the log\n  written: 2 commands\n',
    });
    expect(readFileSync(join(folder.path, 'a.sh'), 'utf8')).toContain('/seq');
    const unknown = await run(['export', '--format', 'opnapi'], api);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('did you mean "openapi"?')]);
    server.child.kill('SIGTERM');
    await server.ended;
    const file = join(folder.path, 'a.flight.gz');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain('geheim');

    const opened = follow(['open', 'a.flight.gz'], { cwd: folder.path });
    const [said] = await opened.until(/[^]*^ready .*api=\S+/m);
    const again = placesOf(/^ready .*$/m.exec(said)?.[0] ?? '');
    expect(said).toContain('  2 log entries; seed ');
    expect(said).toMatch(/^page: http:\S+\/$/m);
    expect(await (await fetch(`${again['http']}/seq`)).text()).toBe('two');
    const logs = (await run(['logs', '--json'], again['api'])).stdout;
    const entries = JSON.parse(logs) as readonly { id: string; matched_id?: string; headers?: object }[];
    expect(entries.map(({ id, matched_id: mock }) => [id, mock])).toEqual([
      ['1', 'seq'],
      ['2', 'made'],
      ['3', 'seq'],
    ]);
    expect(entries[0]?.headers).toMatchObject({ authorization: 'REDACTED' });
    expect(await (await fetch(`${again['api']}/`)).text()).toContain('<!doctype html>');
    opened.child.kill('SIGTERM');
    const ended = await opened.ended;
    expect(ended.stderr).toContain('notice: protocols.http.mocks made is left out: ');
  });

  it('is written by a run that fails, and not by one that does not', async () => {
    const asking = (code: number, ...flags: string[]): Promise<Ended> =>
      run([
        ...[
          'run',
          '--record',
          'failed.flight.gz',
          ...flags,
          '--',
          process.execPath,
          '--input-type=module',
          '-e',
        ],
        `await fetch(process.env.HTTP_URL + '/none'); process.exitCode = ${code}`,
      ]);
    const file = join(folder.path, 'failed.flight.gz');
    expect((await asking(0)).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const failed = await asking(3);
    expect([failed.code, failed.stderr]).toEqual([
      3,
      expect.stringContaining('what ran is in failed.flight.gz; now: backlot open failed.flight.gz'),
    ]);
    expect(gunzipSync(readFileSync(file)).toString()).toContain('"reason":"the command ended with 3"');
    expect((await asking(0, '--fail-on-unmatched')).code).toBe(1);
    const [useless, nowhere] = [
      await run(['run', '--record-always', '--', 'true']),
      await run(['run', '--record', 'no/such/folder.gz', '--record-always', '--', 'true']),
    ];
    expect([useless.code, useless.stderr]).toEqual([
      1,
      'error: --record-always needs the file of --record\n',
    ]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('cannot write no/such/folder.gz'),
    ]);
  });
});
