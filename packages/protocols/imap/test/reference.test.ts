import { fileURLToPath } from 'node:url';
import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { NESTED } from './letters.js';
import { startDovecot } from './reference-server.js';
import { openFlow, RawClient, startHost } from './support.js';

const SCRIPT = fileURLToPath(new URL('./reference.py', import.meta.url));

const SIMPLE =
  'From: Ann <ann@example.com>\r\nTo: bob@example.com, Carla <carla@example.com>\r\nSubject: first\r\n' +
  'Date: Thu, 01 Feb 2024 09:30:00 +0000\r\nMessage-ID: <1@example.com>\r\n\r\none\r\ntwo\r\n';

/** Commands of a session, in order; `+` begins a message that the command before it announces. */
const SESSION: readonly (string | { readonly command: string; readonly literal: string })[] = [
  'CREATE Archive/2024',
  'CREATE "Entw&APw-rfe"',
  'CREATE Archive/2024',
  'LIST "" *',
  'LIST "" %',
  'LIST "" Archive/%',
  'LIST "" ""',
  'SUBSCRIBE Archive/2024',
  { command: 'APPEND INBOX "01-Feb-2024 09:30:00 +0000"', literal: SIMPLE },
  {
    command: 'APPEND INBOX (\\Seen work) "02-Feb-2024 09:30:00 +0100"',
    literal: NESTED.replace('--inner--\r\n', '--inner--\r\n\r\n'),
  },
  { command: 'APPEND Nowhere', literal: SIMPLE },
  'STATUS INBOX (MESSAGES UIDNEXT UNSEEN)',
  'SELECT Nowhere',
  'FETCH 1 FLAGS',
  'SELECT INBOX',
  'FETCH 1:2 (UID RFC822.SIZE INTERNALDATE)',
  'FETCH 1:* (FLAGS)',
  'FETCH 1 ENVELOPE',
  'FETCH 2 ENVELOPE',
  'FETCH 1 BODYSTRUCTURE',
  'FETCH 2 BODY',
  'FETCH 2 BODYSTRUCTURE',
  'FETCH 1 BODY.PEEK[]',
  'FETCH 1 BODY.PEEK[TEXT]<2.4>',
  'FETCH 1 BODY.PEEK[TEXT]<200.4>',
  'FETCH 1 BODY.PEEK[HEADER.FIELDS (SUBJECT X-NONE)]',
  'FETCH 1 BODY.PEEK[HEADER.FIELDS.NOT (SUBJECT DATE)]',
  'FETCH 2 BODY.PEEK[1]',
  'FETCH 2 BODY.PEEK[1.MIME]',
  'FETCH 2 BODY.PEEK[2.HEADER]',
  'FETCH 2 BODY.PEEK[2.TEXT]',
  'FETCH 1 RFC822.HEADER',
  'FETCH 1 BODY[TEXT]',
  'FETCH 1 FLAGS',
  'FETCH 5 FLAGS',
  'UID FETCH 1:* FLAGS',
  'UID FETCH 99 FLAGS',
  'SEARCH ALL',
  'SEARCH UNSEEN',
  'SEARCH KEYWORD work',
  'SEARCH SUBJECT FIRST',
  'SEARCH FROM ann TO carla',
  'SEARCH OR SUBJECT first SUBJECT none',
  'SEARCH NOT SEEN',
  'SEARCH BODY two',
  'SEARCH TEXT carla',
  'SEARCH SINCE 2-Feb-2024',
  'SEARCH ON 1-Feb-2024',
  'SEARCH LARGER 200',
  'SEARCH HEADER Message-ID 1@example',
  'SEARCH UID 2:*',
  'UID SEARCH 1',
  'SEARCH CHARSET UTF-8 SUBJECT first',
  'SEARCH CHARSET KOI-NONE SUBJECT first',
  'SEARCH WRONG',
  'STORE 1 +FLAGS (\\Flagged later)',
  'STORE 1 -FLAGS.SILENT (later)',
  'STORE 1:2 FLAGS (\\Answered)',
  'STORE 1 FLAGS (\\Recent)',
  'UID STORE 2 +FLAGS (\\Deleted)',
  'COPY 1 Archive/2024',
  'COPY 1 Nowhere',
  'UID COPY 99 Archive/2024',
  'STATUS Archive/2024 (MESSAGES UIDNEXT)',
  'EXPUNGE',
  'UID EXPUNGE 2',
  'MOVE 1 Archive/2024',
  'SEARCH ALL',
  'CHECK',
  'NOOP',
  'CLOSE',
  'CLOSE',
  'EXAMINE Archive/2024',
  'FETCH 1 BODY[TEXT]',
  'FETCH 1 FLAGS',
  'UNSELECT',
  'RENAME Archive/2024 Archive/2025',
  'RENAME Nowhere Elsewhere',
  'UNSUBSCRIBE Archive/2024',
  'DELETE Archive/2025',
  'DELETE Nowhere',
  'DELETE INBOX',
  'LIST "" *',
  'NAMESPACE',
  'WRONG',
  'FETCH',
  'LOGIN ann secret',
  'LOGOUT',
];

/** An answer with its literals as quoted texts, so that each response is a line. */
function inLines(answer: string): string {
  const head = /\{(\d+)\}\r\n/.exec(answer);
  if (head === null) return answer;
  const end = head.index + head[0].length + Number(head[1]);
  const literal = JSON.stringify(answer.slice(head.index + head[0].length, end));
  return answer.slice(0, head.index) + literal + inLines(answer.slice(end));
}

/**
 * What was answered, without what each server may do in its own way: texts for people, the order of lists, the code of a
 * refusal that says no more than it, numbers that say when a mailbox was made, and updates of what the client knows.
 */
function bare(answer: string): readonly string[] {
  const lines = inLines(answer)
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      line
        .replace(/^((?:\* )?(?:OK|NO|BAD|BYE))((?: \[[^\]]*\])?) .*$/, '$1$2')
        .replace(/^NO \[(?:NONEXISTENT|CANNOT)\]$/, 'NO')
        .replace(/BADCHARSET \(.*\)/, 'BADCHARSET')
        .replaceAll(/(UIDVALIDITY|APPENDUID|COPYUID) \d+/g, '$1 <n>')
        .replace(/^(\* \d+ FETCH \()(.*) (FLAGS \([^)]*\))\)$/, '$1$3 $2)')
        .replaceAll(
          /FLAGS \(([^)]*)\)/g,
          (_, flags: string) => `FLAGS (${flags.split(' ').sort().join(' ')})`,
        )
        .replaceAll(/INTERNALDATE "0/g, 'INTERNALDATE " '),
    );
  const isSelect = lines.some((line) => line.startsWith('* OK [UIDVALIDITY'));
  const isUpdate = /^\* (?:\d+ RECENT|FLAGS|OK \[PERMANENTFLAGS)/;
  return (isSelect ? lines : lines.filter((line) => !isUpdate.test(line))).sort();
}

/** Sends a command that ends with a message, when the server asks for that. */
async function append(client: RawClient, command: string, literal: string): Promise<string> {
  client.write(`a ${command} {${literal.length}}\r\n`);
  const first = await client.receive(/^(?:\+|a ).*\r\n/m);
  if (!first.startsWith('+')) return first.slice('a '.length);
  client.write(`${literal}\r\n`);
  return (await client.receive(/^a .*\r\n/m)).replace(/^a /m, '');
}

async function converse(port: number): Promise<readonly [string, readonly string[]][]> {
  const client = await RawClient.login(port);
  const told: [string, readonly string[]][] = [];
  for (const step of SESSION) {
    const [line, answer] =
      typeof step === 'string'
        ? [step, await client.ask(step)]
        : [step.command, await append(client, step.command, step.literal)];
    told.push([line, bare(answer)]);
  }
  return told;
}

/** What an application does with imapflow, and all that it is told. */
async function useFlow(port: number): Promise<readonly unknown[]> {
  const client = await openFlow(port);
  const told: unknown[] = [];
  await client.mailboxCreate(['Archive', '2024']);
  await client.mailboxSubscribe('Archive/2024');
  const boxes = await client.list();
  told.push(boxes.map(({ path, delimiter, specialUse }) => ({ path, delimiter, specialUse })).sort(byPath));
  told.push(
    await client.append('INBOX', SIMPLE, ['\\Seen'], new Date('2024-02-01T09:30:00Z')).then(bareUids),
  );
  told.push(await client.append('INBOX', NESTED, [], new Date('2024-02-02T09:30:00Z')).then(bareUids));
  told.push(await client.status('INBOX', { messages: true, unseen: true, uidNext: true }));
  const { exists, uidNext, readOnly, delimiter } = await client.mailboxOpen('INBOX');
  told.push({ exists, uidNext, readOnly, delimiter });
  const fields = { envelope: true, flags: true, internalDate: true, size: true, uid: true, headers: true };
  for await (const message of client.fetch('1:*', { ...fields, bodyParts: ['1', 'text'] })) {
    const { uid, seq, envelope, flags, internalDate, size, headers, bodyParts } = message;
    const parts = [...(bodyParts ?? [])].map(([name, bytes]) => [name, String(bytes)]);
    told.push({ uid, seq, envelope, size, internalDate, headers: String(headers), parts });
    told.push([...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort());
  }
  told.push(
    await client.search({ seen: false }),
    await client.search({ or: [{ from: 'ann' }, { body: 'none' }] }),
  );
  told.push(await client.search({ since: new Date('2024-02-02'), header: { 'message-id': 'nested' } }));
  told.push(
    await client.messageFlagsAdd('1', ['\\Flagged', 'work']),
    await client.search({ keyword: 'work' }),
  );
  told.push(await client.messageCopy('1', 'Archive/2024').then(bareUids));
  told.push(await client.messageMove('2', 'Archive/2024').then(bareUids));
  const { content } = await client.download('1', '1');
  let text = '';
  for await (const piece of content) text += String(piece);
  told.push(text, await client.messageDelete('1'));
  told.push(client.mailbox === false ? 'none' : client.mailbox.exists);
  told.push(await client.status('Archive/2024', { messages: true, unseen: true }));
  told.push(
    await client
      .mailboxOpen('Nowhere')
      .catch(({ responseStatus }: { responseStatus: string }) => responseStatus),
  );
  await client.mailboxRename('Archive/2024', 'Archive/2025');
  await client.mailboxDelete('Archive/2025');
  told.push((await client.list()).map(({ path }) => path).sort());
  await client.logout();
  return told;
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path.localeCompare(other.path);
}

/** What says when a mailbox was made is each server's own. */
function bareUids(answer: object | false): object | false {
  return answer !== false && 'uidValidity' in answer ? { ...answer, uidValidity: '<n>' } : answer;
}

describe('beside Dovecot', () => {
  itWithTool('dovecot /usr/lib/dovecot/imap', 'a session of IMAP is answered the same', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const dovecot = await startDovecot();
    expect(await converse(port)).toEqual(await converse(dovecot.port));
  });

  itWithTool('dovecot /usr/lib/dovecot/imap', 'imapflow is told the same', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const dovecot = await startDovecot();
    expect(await useFlow(port)).toEqual(await useFlow(dovecot.port));
  });

  itWithTool(
    'dovecot /usr/lib/dovecot/imap /usr/lib/dovecot/pop3 python3',
    'imaplib and poplib are told the same',
    async () => {
      const { port, kind } = await startHost({
        users: [{ username: 'ann', password: 'secret' }],
        pop3_port: 0,
      });
      const dovecot = await startDovecot();
      const run = async (...ports: readonly number[]): Promise<string> => {
        const { out, err, code } = await runTool(PYTHON, [SCRIPT, ...ports.map(String)]);
        expect([err, code]).toEqual(['', 0]);
        return out;
      };
      const told = await run(port, Number(kind.status()['pop3_port']));
      expect(told).toContain("'one', b'two'");
      expect(told.split('\n')).toEqual((await run(dovecot.port, dovecot.pop3Port)).split('\n'));
    },
  );
});
