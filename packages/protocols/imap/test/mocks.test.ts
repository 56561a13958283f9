import { describe, expect, it } from '@jest/globals';
import {
  Type,
  defineProtocol,
  type Context,
  type LazyCapture,
  type Protocol,
  type Shape,
} from '@backlot/core/plugin';
import { RawClient, startHost } from './support.js';

const RecordedSchema = Type.Object({
  id: Type.String({ description: 'The id.' }),
  from: Type.String({ description: 'The sender.' }),
  to: Type.Array(Type.String(), { description: 'The receivers.' }),
  subject: Type.String({ description: 'The subject.' }),
  body: Type.String({ description: 'The raw message.' }),
  body_encoding: Type.Optional(Type.Literal('base64', { description: 'When it is no text.' })),
  received_at: Type.String({ description: 'When it arrived.' }),
});
const Nothing = Type.Object({}, { additionalProperties: false });

interface PostShape extends Shape {
  readonly config: typeof Nothing;
  readonly mock: typeof Nothing;
  readonly compiled: object;
  readonly message: { readonly method: string; readonly path: string; readonly remote: string };
  readonly capture: typeof RecordedSchema;
}

/** A kind that captures what the test gives it, as a mail server would. */
function makePost(limit = 10_000): {
  readonly post: Protocol;
  readonly deliver: (id: string, body: string, isBase64?: boolean) => void;
  /** Delivers something that makes its shown form when it is asked for. */
  readonly deliverLazy: (lazy: LazyCapture<never>) => void;
} {
  let context: Context<PostShape> | undefined;
  const post = defineProtocol({
    kind: 'post',
    meta: {
      title: 'Post',
      summary: 'A fake.',
      transport: 'stream',
      defaultPort: 2525,
      url: 'smtp://{host}:{port}',
    },
    config: Nothing,
    mocks: {
      noun: 'rule',
      configKey: 'rules',
      mode: 'first',
      schema: Nothing,
      examples: [],
      compile: () => ({}),
    },
    capture: { schema: RecordedSchema, limit },
    create(given) {
      context = given;
      return { start: () => Promise.resolve({ host: '127.0.0.1', port: 1 }), stop: () => Promise.resolve() };
    },
  });
  return {
    post,
    deliverLazy(lazy) {
      const exchange = context?.receive({ method: 'DATA', path: '', remote: '' });
      if (exchange !== undefined) context?.captures.add(lazy, 1, exchange);
    },
    deliver(id, body, isBase64 = false) {
      const exchange = context?.receive({ method: 'DATA', path: '', remote: '' });
      if (exchange === undefined) throw new Error('not started');
      const received = {
        id,
        from: 'a@b',
        to: ['c@d'],
        subject: '',
        body,
        received_at: '2024-03-01T10:00:00.000Z',
      };
      context?.captures.add(
        isBase64 ? { ...received, body_encoding: 'base64' } : received,
        body.length,
        exchange,
      );
      exchange.done();
    },
  };
}

describe('a mailbox', () => {
  it('puts messages in the order of seq_num, and fills the gaps of UIDs', async () => {
    const { port } = await startHost({
      mailboxes: [
        {
          name: 'INBOX',
          messages: [
            { seq_num: 3, subject: 'third' },
            { subject: 'first' },
            { seq_num: 2, subject: 'second', uid: 10 },
          ],
        },
      ],
    });
    const client = await RawClient.login(port, 'INBOX');
    const answer = await client.ask('FETCH 1:* (UID BODY.PEEK[HEADER.FIELDS (SUBJECT)])');
    expect(
      [...answer.matchAll(/UID (\d+)|Subject: (\w+)/g)].map(([, uid, subject]) => uid ?? subject),
    ).toEqual(['1', 'first', '10', 'second', '11', 'third']);
  });

  it('renders templates once, so that sizes and parts stay true', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        {
          id: 'inbox',
          name: 'INBOX',
          messages: [
            {
              from: '{{state.who}}@example.com',
              to: ['{{fake "email"}}'],
              subject: 'Hi {{state.who}}',
              body: '{{uuid}} {{first_name}}',
            },
            { raw: 'Subject: {{upper "x"}}\n\n{{rand_int 1000 9999}}' },
          ],
        },
      ],
    });
    host.state.setAll({ who: 'ann' });
    const client = await RawClient.login(port, 'INBOX');
    const first = await client.ask('FETCH 1:2 (RFC822.SIZE ENVELOPE BODY.PEEK[])');
    expect(first).toContain('"Hi ann" ((NIL NIL "ann" "example.com"))');
    expect(first).toMatch(/\r\n[0-9a-f-]{36} \{\{first_name\}\}\r\n/);
    expect(first).toMatch(/Subject: X\r\n\r\n\d{4}\)/);
    expect((await client.ask('FETCH 1:2 (RFC822.SIZE ENVELOPE BODY.PEEK[])')).split('\r\n')).toEqual(
      first.split('\r\n'),
    );
  });

  it('keeps line ends out of headers, whatever a template gives', async () => {
    const { host, port } = await startHost({
      mailboxes: [{ name: 'INBOX', messages: [{ subject: 'a {{state.bad}}' }] }],
    });
    host.state.setAll({ bad: 'x\r\nBcc: evil@example.com' });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask('FETCH 1 BODY.PEEK[HEADER.FIELDS (Subject Bcc)]')).toContain(
      '}\r\nSubject: a x Bcc: evil@example.com\r\n\r\n)',
    );
  });

  it('is counted and sets state with each command on it', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        {
          id: 'a',
          name: 'A',
          messages: [{ subject: 'x' }],
          set_state: { last: '{{request.command}} {{request.mailbox}} {{request.user}}' },
        },
      ],
    });
    const client = await RawClient.login(port);
    const commands = [
      'STATUS A (MESSAGES)',
      'SELECT A',
      'FETCH 1 FLAGS',
      'UID SEARCH ALL',
      'STORE 1 FLAGS (x)',
      'COPY 1 A',
      'APPEND A {1+}\r\nx',
      'EXPUNGE',
    ];
    for (const command of commands) {
      await client.ask(command);
      expect(host.state.all()['last']).toBe(`${/^(UID )?\w+/.exec(command)?.[0]} A ann`);
    }
    for (const command of ['LIST "" *', 'NOOP', 'CHECK', 'CLOSE', 'DELETE nowhere'])
      await client.ask(command);
    expect(host.kind('imap').calls.of('a').count).toBe(commands.length);
  });

  it('comes and goes with state, also while it is selected', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        {
          name: 'INBOX',
          messages: [{ subject: 'a' }, { subject: 'b' }],
          state: { key: 'mail', value: 'on' },
        },
        { name: 'INBOX', messages: [{ subject: 'a' }] },
        { name: 'Other', state: { key: 'mail', value: 'on' } },
      ],
    });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask('SEARCH ALL')).toContain('* SEARCH 1\r\n');
    expect(await client.ask('LIST "" O*')).toBe('OK LIST completed\r\n');
    client.write('i IDLE\r\n');
    await client.receive(/\+ /);
    host.state.setAll({ mail: 'on' });
    expect(await client.receive(/RECENT\r\n/)).toContain('* 2 EXISTS\r\n');
    client.write('DONE\r\n');
    await client.receive(/i OK/);
    expect(await client.ask('LIST "" O*')).toContain('Other');
  });

  it('answers a limited number of times', async () => {
    const { port } = await startHost({ mailboxes: [{ name: 'A', times: 2, messages: [{ subject: 'x' }] }] });
    const client = await RawClient.login(port);
    expect(await client.ask('SELECT A')).toContain('* 1 EXISTS');
    expect(await client.ask('UID FETCH 1 FLAGS')).toBe(
      '* 1 FETCH (UID 1 FLAGS ())\r\nOK UID FETCH completed\r\n',
    );
    expect(await client.ask('UID FETCH 1 FLAGS')).toBe(
      '* 1 EXPUNGE\r\nNO [NONEXISTENT] the mailbox is gone\r\n',
    );
    expect(await client.ask('SELECT A')).toMatch(/^NO \[NONEXISTENT\]/);
  });

  it('stores nothing of a command that a reset has overtaken', async () => {
    const { host, port } = await startHost({ mailboxes: [{ id: 'inbox', name: 'INBOX', delay: '1h' }] });
    const client = await RawClient.open(port);
    await client.ask('LOGIN a b');
    client.write('a APPEND INBOX {1+}\r\nx\r\n');
    await host.kind('imap').calls.wait('inbox', 1, 60_000);
    host.reset();
    await host.clock.advance(3_600_000);
    expect(await client.receive(/^a /m)).toBe(
      'a NO [UNAVAILABLE] the server was reset before this was done\r\n',
    );
    host.kind('imap').mocks.remove('inbox');
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 0)');
  });
});

describe('inbox_from', () => {
  it('shows what another kind has captured, after the messages of the mock', async () => {
    const { post, deliver } = makePost();
    const { host, port } = await startHost(
      { inbox_from: 'post', mailboxes: [{ id: 'inbox', name: 'INBOX', messages: [{ subject: 'mock' }] }] },
      { protocols: [post] },
    );
    deliver('1', 'Subject: one\r\n\r\nkörper\r\n');
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask('FETCH 2 (UID INTERNALDATE BODY.PEEK[])')).toBe(
      '* 2 FETCH (UID 2 INTERNALDATE " 1-Mar-2024 10:00:00 +0000" BODY[] {25}\r\nSubject: one\r\n\r\nk\u00c3\u00b6rper\r\n)\r\nOK FETCH completed\r\n',
    );
    client.write('i IDLE\r\n');
    await client.receive(/\+ /);
    deliver('2', Buffer.from('Subject: two\n\n\xff\0', 'latin1').toString('base64'), true);
    expect(await client.receive(/RECENT\r\n/)).toBe('* 3 EXISTS\r\n* 2 RECENT\r\n');
    client.write('DONE\r\n');
    await client.receive(/i OK/);
    expect(await client.ask('FETCH 3 BODY.PEEK[]')).toContain('Subject: two\r\n\r\n\xff)');
    await client.ask('STORE 2 FLAGS (\\Deleted)');
    await client.ask('EXPUNGE');
    host.kind('post').captures?.clear();
    expect(await client.ask('NOOP')).toBe('* 2 EXPUNGE\r\nOK NOOP completed\r\n');
    deliver('3', 'Subject: three\r\n\r\n');
    expect(await client.ask('NOOP')).toContain('* 2 EXISTS\r\n');
    host.reset();
    expect(await client.ask('NOOP')).toContain('EXPUNGE\r\n');
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 1)');
  });

  it('takes a mail that another kind gives as it came, without having it shown', async () => {
    const { post, deliver, deliverLazy } = makePost();
    const { port } = await startHost({ inbox_from: 'post' }, { protocols: [post] });
    const lazy = (id: string): LazyCapture<never> => ({
      captureId: id,
      capture() {
        throw new Error('the mail was shown');
      },
      given: {
        id,
        recipients: ['c@d'],
        raw: Buffer.from(`Subject: ${id}\n\nk\xf6rper\n`, 'latin1'),
        receivedAt: Date.UTC(2024, 2, 1, 10),
      },
    });
    deliverLazy(lazy('one'));
    const client = await RawClient.login(port, 'INBOX');
    deliverLazy(lazy('two'));
    deliver('three', 'Subject: three\r\n\r\n');
    await client.ask('NOOP');
    expect(await client.ask('FETCH 1:2 (INTERNALDATE BODY.PEEK[])')).toBe(
      ['one', 'two']
        .map(
          (id, index) =>
            `* ${index + 1} FETCH (INTERNALDATE " 1-Mar-2024 10:00:00 +0000" BODY[] {24}\r\nSubject: ${id}\r\n\r\nk\xf6rper\r\n)\r\n`,
        )
        .join('') + 'OK FETCH completed\r\n',
    );
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 3)');
  });

  it('keeps flags of captured messages through a snapshot', async () => {
    const { post, deliver } = makePost();
    const { host, port } = await startHost({ inbox_from: 'post' }, { protocols: [post] });
    deliver('1', 'Subject: one\r\n\r\n');
    const client = await RawClient.login(port, 'INBOX');
    await client.ask('STORE 1 FLAGS (kept)');
    const { id } = host.snapshots.create('before');
    deliver('2', 'Subject: two\r\n\r\n');
    await client.ask('STORE 1 FLAGS (gone)');
    host.snapshots.restore(id);
    await client.ask('NOOP');
    expect(await client.ask('FETCH 1:* FLAGS')).toMatch(/^\* 1 FETCH \(FLAGS \(kept[^]*\)\)\r\nOK/);
  });

  it('lets go of what the other kind has let go of', async () => {
    const { post, deliver } = makePost(10);
    const { port } = await startHost({ inbox_from: 'post' }, { protocols: [post] });
    const client = await RawClient.login(port, 'INBOX');
    for (let count = 1; count <= 3_000; count += 1) deliver(String(count), `Subject: ${count}\r\n\r\n`);
    await client.ask('NOOP');
    const [, messages] = /MESSAGES (\d+)/.exec(await client.ask('STATUS INBOX (MESSAGES)')) ?? [];
    expect(Number(messages)).toBeLessThanOrEqual(1_010);
    expect(await client.ask('SEARCH SUBJECT 3000')).toMatch(/^\* SEARCH \d+\r\n/);
  });

  it('is refused when that kind is not there', async () => {
    await expect(startHost({ inbox_from: 'post' })).rejects.toThrow(/imap needs what post captures/);
  });
});
