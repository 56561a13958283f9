import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectCleanups, itWithTool, runTool } from '@backlot/conformance';
import { importersFor, importFile, readImport, type Host } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { http } from '@backlot/http';
import { imap } from '@backlot/imap';
import { describe, expect, it } from '@jest/globals';
import { exported, imported, running } from './support/running.js';

const afterThis = collectCleanups();

const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));
const MAILS = join(PACKAGES, 'protocols/imap/test/samples');

async function serveMails(path: string): Promise<Host> {
  const file = importFile({ name: basename(path), content: readFileSync(path) });
  const importers = await importersFor(file, [imap], []);
  return running([imap], runAtOnce(readImport(file, importers, { seed: 1 })).imported, afterThis);
}

const READ = `
import json, mailbox, sys
print(json.dumps([[box.get_string(key) for key in box.keys()] for box in map(mailbox.mbox, sys.argv[1:])]))
`;

describe('mails that others wrote', () => {
  itWithTool('python3', 'are an mbox again in which Python reads the same', async () => {
    const path = join(MAILS, 'test-4-message.mbox');
    const { bytes, report } = await exported(await serveMails(path), 'mbox');
    expect(report).toMatchObject({ written: { mails: 4 }, refused: [] });
    const folder = mkdtempSync(join(tmpdir(), 'mbox-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'out.mbox'), bytes);
    const { out, err } = await runTool('python3', ['-c', READ, path, join(folder, 'out.mbox')]);
    expect(err).toBe('');
    const [theirs, ours] = JSON.parse(out) as string[][];
    expect(theirs).toHaveLength(4);
    expect(ours).toEqual(theirs);
  });

  it.each(['msg_02.txt', 'multipart.eml'])('are a file again, as %s is', async (name) => {
    const path = join(MAILS, name);
    const { text } = await exported(await serveMails(path), 'eml');
    expect(text.replaceAll('\r\n', '\n')).toBe(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
  });
});

describe('a petstore that others described', () => {
  it('is command lines of curl when it was asked', async () => {
    const path = join(PACKAGES, 'imports/test/samples/openapi/v3.1/petstore.json');
    const host = await running([http], imported(readFileSync(path, 'utf8'), 'petstore.json'), afterThis);
    const url = host.kind('http').url ?? '';
    await (await fetch(`${url}/v2/pet/7`)).text();
    await fetch(`${url}/v2/store/order`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"petId":7}',
    });
    const curl = await exported(host, 'curl');
    expect(imported(curl.text, 'a.sh').protocols?.['http']?.['mocks']).toEqual([
      expect.objectContaining({ request: expect.objectContaining({ path: '/v2/pet/7' }) }),
      expect.objectContaining({
        request: expect.objectContaining({ method: 'POST', body: { json: { equals: { petId: 7 } } } }),
      }),
    ]);
  });
});
