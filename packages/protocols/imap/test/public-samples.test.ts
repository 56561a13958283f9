import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { importFile, readImport, type ImportFile, type Imported, type ImportReport } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { describe, expect } from '@jest/globals';
import type { MessageStructureObject } from 'imapflow';
import { importers } from '../src/imports/importers.js';
import { afterThis, openFlow, startHost } from './support.js';

const MAILS = ['msg_02.txt', 'msg_07.txt', 'multipart.eml', 'nested.eml'];
/** Those whose parts all end: Python writes the others anew when it stores them with flags. */
const STORED = MAILS.filter((name) => name !== 'nested.eml');
const pathOf = (name: string): string => fileURLToPath(new URL(`samples/${name}`, import.meta.url));

/** What Python reads: of each file that is named its mails, each as its text and the types of its parts. */
const READ = `
import email, json, mailbox, sys
def show(raw):
    text = raw.decode('ascii').replace('\\r\\n', '\\n')
    return [text, [part.get_content_type() for part in email.message_from_bytes(raw).walk()]]
def read(path):
    if not path.endswith('.mbox'): return [open(path, 'rb').read()]
    box = mailbox.mbox(path)
    return [box.get_bytes(key) for key in box.keys()]
print(json.dumps([[show(raw) for raw in read(path)] for path in sys.argv[1:]]))
`;

/** Writes a maildir of the mails that are named. */
const WRITE = `
import mailbox, sys
target, *paths = sys.argv[1:]
box = mailbox.Maildir(target)
for index, (path, flags, folder) in enumerate(zip(paths, ['FS', '', 'RT'], [None, None, 'Archive.2024'])):
    message = mailbox.MaildirMessage(open(path, 'rb').read())
    if flags:
        message.set_subdir('cur')
        message.set_flags(flags)
    (box if folder is None else box.add_folder(folder)).add(message)
`;

function convert(file: ImportFile): { readonly imported: Imported; readonly report: ImportReport } {
  return runAtOnce(readImport(file, importers, { seed: 1 }));
}

const open = (path: string, name = basename(path)): ImportFile =>
  importFile({ name, content: readFileSync(path) });

interface Served {
  readonly text: string;
  readonly types: readonly string[];
  readonly flags: readonly string[];
}

/** The mails of a mailbox of a server that was started with an import, as imapflow reads them. */
async function serve(imported: Imported, boxes = ['INBOX']): Promise<readonly (readonly Served[])[]> {
  const { port } = await startHost({ ...imported.protocols?.['imap'] });
  const client = await openFlow(port);
  const all: Served[][] = [];
  for (const box of boxes) {
    await client.mailboxOpen(box);
    const mails: Served[] = [];
    for await (const mail of client.fetch('1:*', { source: true, bodyStructure: true, flags: true })) {
      mails.push({
        text: (mail.source ?? '').toString('latin1').replaceAll('\r\n', '\n'),
        types: mail.bodyStructure === undefined ? [] : typesOf(mail.bodyStructure),
        flags: [...(mail.flags ?? [])].toSorted(),
      });
    }
    all.push(mails);
  }
  return all;
}

function typesOf({ type, childNodes = [] }: MessageStructureObject): string[] {
  return [type ?? '', ...childNodes.flatMap(typesOf)];
}

async function readByPython(names: readonly string[]): Promise<[string, string[]][][]> {
  const { out, err } = await runTool(PYTHON, ['-c', READ, ...names.map(pathOf)]);
  expect(err).toBe('');
  return JSON.parse(out) as [string, string[]][][];
}

describe('public mails', () => {
  itWithTool('python3:mailbox', 'have the text and the parts that Python reads', async () => {
    const expected = await readByPython(MAILS);
    for (const [index, name] of MAILS.entries()) {
      const { imported, report } = convert(open(pathOf(name)));
      expect(report).toMatchObject({ format: 'eml', approximated: [], refused: [] });
      const [mails = []] = await serve(imported);
      expect(mails.map(({ text, types }) => [text, types])).toEqual(expected[index]);
    }
  });

  itWithTool('python3:mailbox', 'are the mails of an mbox that Python reads', async () => {
    const [expected = []] = await readByPython(['test-4-message.mbox']);
    const { imported, report } = convert(open(pathOf('test-4-message.mbox')));
    expect(report).toMatchObject({ format: 'mbox', approximated: [], refused: [] });
    const [mails = []] = await serve(imported);
    expect(expected).toHaveLength(4);
    expect(mails.map(({ text, types }) => [text, types])).toEqual(expected);
  });

  itWithTool('python3:mailbox', 'come from a maildir that Python has written, with their flags', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'backlot-maildir-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const root = join(folder, 'Maildir');
    expect(await runTool(PYTHON, ['-c', WRITE, root, ...STORED.map(pathOf)])).toMatchObject({ err: '' });
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => open(join(parentPath, name), relative(root, join(parentPath, name))));
    const { imported, report } = convert(importFile({ name: 'Maildir', content: '', files }));
    expect(report).toMatchObject({ format: 'maildir', taken: { 'imap mailboxes': 2 }, refused: [] });
    const expected = (await readByPython(STORED)).map(([mail]) => mail?.[0] ?? '');
    const boxes = await serve(imported, ['INBOX', 'Archive/2024']);
    const found = boxes.map((mails) => new Map(mails.map(({ text, flags }) => [text, flags])));
    expect(found).toEqual([
      new Map([
        [expected[0], ['\\Flagged', '\\Seen']],
        [expected[1], []],
      ]),
      new Map([[expected[2], ['\\Answered', '\\Deleted']]]),
    ]);
  });
});
