import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, envelope, send, startHost } from './support.js';

const REJECT = { action: 'reject' } as const;

describe('rules', () => {
  it('decide at MAIL, RCPT or the end of the data, as early as they can', async () => {
    const { port, emails } = await startHost({
      rules: [
        { from: 'early@example.com', ...REJECT, message: '550 at MAIL' },
        { to: 'nobody@example.com', ...REJECT, message: '551 at RCPT' },
        { subject: 'spam*', ...REJECT, message: '554 at DATA' },
        { from: 'late@example.com', ...REJECT, message: '550 after all' },
      ],
    });
    const client = await RawClient.greet(port);
    expect(await client.say('MAIL FROM:<EARLY@Example.COM>')).toBe('550 at MAIL');
    expect(await client.say('RCPT TO:<a@example.com>')).toBe('503 Error: need MAIL command');
    expect(await client.sayAll(...envelope('a@b.c', 'Nobody@EXAMPLE.com', 'd@e.f'))).toEqual([
      '250 Accepted',
      '551 at RCPT',
      '250 Accepted',
    ]);
    await client.say('DATA');
    expect(await client.say('Subject: spam!\r\n\r\n.')).toBe('554 at DATA');
    expect(await send(client, 'late@example.com', 'd@e.f')).toBe('550 after all');
    expect(await send(client, 'a@b.c', ['d@e.f'])).toMatch(/^250 OK: queued as /);
    expect(emails()).toHaveLength(1);
  });

  it('are asked in their order: the first that may match holds up those behind it', async () => {
    const { port } = await startHost({
      rules: [
        { from: 'ann@*', subject: 'let me in' },
        { to: 'vip@example.com', message: 'welcome' },
        { from: 'ann@*', ...REJECT, message: '550 not you' },
        { to: 'd@e.f', action: 'defer', priority: 1 },
      ],
    });
    const client = await RawClient.greet(port);
    // What the first rule may take is not refused by the third before the subject is known.
    expect(await client.sayAll(...envelope('ann@b.c', 'x@y.z'))).toEqual(['250 Accepted', '250 Accepted']);
    await client.say('DATA');
    expect(await client.say('Subject: hello\r\n\r\n.')).toBe('550 not you');
    expect(await send(client, 'ann@b.c', 'x@y.z', 'Subject: let me in\r\n\r\n')).toMatch(/^250 OK/);
    expect(await send(client, 'ann@b.c', ['x@y.z', 'VIP@example.com'])).toBe('250 welcome');
    expect(await client.sayAll(...envelope('ann@b.c', 'd@e.f'))).toEqual([
      '250 Accepted',
      '451 Message deferred, try again later',
    ]);
  });

  it('match senders, recipients and subjects by every kind of pattern', async () => {
    const { port } = await startHost({
      rules: [
        { from: '', to: '', ...REJECT, message: '550 never', state: { key: 'off', value: 'on' } },
        { from: '*@Domain.example', ...REJECT, message: '550 domain' },
        { from: { suffix: '@suffix.example' }, ...REJECT, message: '550 suffix' },
        { from: { equals: 'Equal@example.com' }, ...REJECT, message: '550 equals' },
        { from: 're:^no-?reply@', ...REJECT, message: '550 regex' },
        { from: 'a\\*b@example.com', ...REJECT, message: '550 star' },
        { from: { not: { present: true } }, ...REJECT, message: '550 unreachable' },
        { from: { any_of: ['x@y.z', '*@list.example'] }, ...REJECT, message: '550 list' },
        { to: '*+tag@*', ...REJECT, message: '550 tag' },
        { subject: { absent: true }, ...REJECT, message: '550 no subject' },
        { subject: { equals: 'Grüße' }, ...REJECT, message: '550 greetings' },
        { subject: 'exactly this', ...REJECT, message: '550 exact' },
      ],
    });
    const client = await RawClient.greet(port);
    for (const [from, reply] of [
      ['a@DOMAIN.example', '550 domain'],
      ['b@suffix.EXAMPLE', '550 suffix'],
      ['equal@EXAMPLE.com', '550 equals'],
      ['NO-reply@d.e', '550 regex'],
      ['a*b@example.com', '550 star'],
      ['m@List.example', '550 list'],
      ['acb@example.com', '550 tag'],
    ] as const) {
      expect(await send(client, from, 'joe+TAG@x.y')).toBe(reply);
      await client.say('RSET');
    }
    expect(await send(client, 'a@b.c', 'd@e.f', 'From: a\r\n\r\n')).toBe('550 no subject');
    expect(await send(client, 'a@b.c', 'd@e.f', 'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n\r\n')).toBe(
      '550 greetings',
    );
    expect(await send(client, '', 'd@e.f', 'Subject: exactly\r\n this\r\n\r\n')).toBe('550 exact');
  });

  it('capture what expressions for addresses, the subject, headers, text and attachments name', async () => {
    const { port } = await startHost({
      rules: [
        {
          from: 're:^(?<sender>\\w+)@',
          to: 're:^(?<list>\\w+)-list@',
          subject: { regex: '^Re: (?<topic>.+)$' },
          headers: { 'x-id': 're:^<(?<id>.*)>$' },
          text: { any_of: ['re:^(?<word>x)', 're:^Dear (?<word>\\w+)'] },
          attachments: [{ filename: 're:^(?<file>\\w+)\\.', content_type: 'text/CSV' }],
          ...REJECT,
          message:
            '{{request.params.sender}} {{request.params.list}} {{request.params.topic}} {{request.params.id}} {{request.params.word}} {{request.params.file}}',
        },
      ],
    });
    const client = await RawClient.greet(port);
    const part = (type: string, name: string, body: string): string =>
      `--b\r\nContent-Type: ${type}\r\n${name && `Content-Disposition: attachment; filename=${name}\r\n`}\r\n${body}\r\n`;
    const data =
      'Subject: Re: it\r\nX-Id: <7>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
      `${part('text/plain', '', 'Dear Bob')}${part('text/plain', 'no.txt', 'x')}${part('text/csv', 'day.csv', '1')}--b--\r\n`;
    expect(await send(client, 'Ann@b.c', ['x@e.f', 'news-list@e.f'], data)).toBe('550 Ann news it 7 Bob day');
  });

  it('answer with templates and codes of their own', async () => {
    const { port, host } = await startHost({
      rules: [
        { to: 'one@e.f', ...REJECT, message: '{{request.from}} may not write to {{request.to}}' },
        { to: 'two@e.f', action: 'defer', message: '450 4.2.0 {{state.why}}' },
        {
          subject: '*',
          message:
            'took {{request.subject}} for {{#request.recipients}}<{{.}}>{{/request.recipients}} {{request.headers.x-id}}',
        },
      ],
    });
    host.state.setAll({ why: 'line one\r\n250 line two' });
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'one@e.f')).toBe('550 a@b.c may not write to one@e.f');
    await client.say('RSET');
    expect(await send(client, 'a@b.c', 'two@e.f')).toBe('450 4.2.0 line one 250 line two');
    await client.say('RSET');
    expect(await send(client, 'a@b.c', ['x@e.f', 'y@e.f'], 'X-Id: 7\r\nSubject: it\r\n\r\n')).toBe(
      '250 took it for <x@e.f><y@e.f> 7',
    );
  });

  it('change with state, times, scenarios and priorities, for the next command of an open session', async () => {
    const { port, host } = await startHost(
      {
        rules: [
          { id: 'down', from: '*', action: 'defer', state: { key: 'disk', value: 'full' } },
          {
            id: 'once',
            to: 'grey@e.f',
            action: 'defer',
            times: 1,
            set_state: { greylisted: '{{request.to}}' },
          },
        ],
      },
      {
        scenarios: [
          {
            id: 'strict',
            patches: [
              { mock_id: 'once', merge: { action: 'reject', times: null, message: '550 {{request.to}}' } },
            ],
          },
        ],
      },
    );
    const client = await RawClient.greet(port);
    expect(await client.sayAll(...envelope('a@b.c', 'grey@e.f', 'grey@e.f'))).toEqual([
      '250 Accepted',
      '451 Message deferred, try again later',
      '250 Accepted',
    ]);
    expect(host.state.all()).toEqual({ greylisted: 'grey@e.f' });
    await client.say('RSET');
    host.state.setAll({ disk: 'full' });
    expect(await client.say('MAIL FROM:<a@b.c>')).toMatch(/^451 /);
    host.state.delete('disk');
    host.scenarios.activate('strict');
    expect(await send(client, 'a@b.c', 'grey@e.f')).toBe('550 grey@e.f');
    host.kind('smtp').mocks.create({ from: '*', priority: 5, ...REJECT });
    await client.say('RSET');
    expect(await client.say('MAIL FROM:<a@b.c>')).toBe('550 Message rejected');
  });

  it('hold up their own session only while they wait', async () => {
    const { port, host } = await startHost({
      rules: [
        { from: 'slow@e.f', ...REJECT, delay: '1h', message: '550 late' },
        { to: 'slow@e.f', action: 'defer', delay: '1h' },
        { subject: 'slow', delay: '1h' },
      ],
    });
    const slow = await Promise.all(
      [
        ['MAIL FROM:<slow@e.f>'],
        ['MAIL FROM:<a@b.c>', 'RCPT TO:<slow@e.f>'],
        ['MAIL FROM:<a@b.c>', 'RCPT TO:<b@b.c>', 'DATA', 'Subject: slow\r\n\r\n.'],
      ].map(async (commands) => {
        const client = await RawClient.greet(port);
        await client.sayAll(...commands.slice(0, -1));
        client.send(`${commands.at(-1)}\r\nNOOP\r\n`);
        return client;
      }),
    );
    const quick = await RawClient.greet(port);
    expect(await send(quick, 'a@b.c', 'x@y.z')).toMatch(/^250 OK/);
    const calls = (): number =>
      host
        .kind('smtp')
        .mocks.list()
        .reduce((sum, { id }) => sum + host.kind('smtp').calls.of(id).count, 0);
    await eventually(() => calls() === 3);
    await host.clock.advance(3_600_000);
    const replies = await Promise.all(
      slow.map(async (client) => [await client.reply(), await client.reply()]),
    );
    expect(replies).toEqual([
      ['550 late', '250 OK'],
      ['451 Message deferred, try again later', '250 OK'],
      [expect.stringMatching(/^250 OK: queued/), '250 OK'],
    ]);
  });

  it('refuse what cannot be answered, with the field and what would be right', async () => {
    const { host } = await startHost();
    const create = (rule: object) => () => host.kind('smtp').mocks.create(rule);
    expect(create({ action: 'accept', message: '550 no' })).toThrow(
      /begins with 550; action accept answers 250/,
    );
    expect(create({ ...REJECT, message: '299 no' })).toThrow(/action reject answers a code from 400 to 599/);
    expect(create({ from: 're:(' })).toThrow(/from/);
    expect(create({ action: 'drop' })).toThrow(
      'smtp rule /action: must be one of "accept", "reject", "defer", got "drop"',
    );
    expect(create({ action: 'drop' })).not.toThrow(/more|message/);
    expect(create({ ...REJECT, message: '100 mails are enough' })).not.toThrow();
  });
});

describe('the journal', () => {
  it('has one entry for a transaction, and one for each recipient that was refused', async () => {
    const { port, entries } = await startHost({
      rules: [
        { id: 'no', to: 'no@e.f', ...REJECT, message: '550 5.1.1 unknown' },
        { id: 'yes', subject: 'test', message: 'thanks' },
      ],
    });
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'no@e.f')).toBe('550 5.1.1 unknown');
    await client.say('RCPT TO:<x@e.f>');
    await client.say('RCPT TO:<no@e.f>');
    await client.say('RCPT TO:<y@e.f>');
    await client.say('DATA');
    expect(await client.say('Subject: test\r\n\r\nHello\r\n.')).toBe('250 thanks');
    expect(entries()).toMatchObject([
      {
        method: 'MAIL',
        path: 'a@b.c -> no@e.f',
        status: 550,
        matched_id: 'no',
        response: { body: '5.1.1 unknown' },
      },
      { method: 'MAIL', path: 'a@b.c -> no@e.f', status: 550, matched_id: 'no' },
      {
        method: 'MAIL',
        path: 'a@b.c -> x@e.f, y@e.f',
        status: 250,
        matched_id: 'yes',
        headers: { subject: 'test' },
        body: 'Subject: test\r\n\r\nHello\r\n',
      },
    ]);
  });

  it('says that a client gave up', async () => {
    const { port, entries } = await startHost({ rules: [{ id: 'one', to: 'x@y.z', ...REJECT }] });
    const client = await RawClient.greet(port);
    await client.sayAll('MAIL FROM:<a@b.c>', 'RSET', 'MAIL FROM:<b@b.c>');
    client.socket.destroy();
    await eventually(() => entries().length === 2);
    expect(entries()).toMatchObject([
      { path: 'a@b.c ->', aborted: true },
      { path: 'b@b.c ->', aborted: true },
    ]);
    await send(await RawClient.greet(port), '', 'a@b.c');
    expect(entries()[2]).toMatchObject({ path: '<> -> a@b.c', status: 250 });
  });

  it('calls no mail unmatched that is taken, whichever rules there are', async () => {
    const { port, host } = await startHost();
    const rules = [
      { id: 'sender', from: 'no@b.c', ...REJECT },
      { id: 'recipient', to: 'x@y.z', ...REJECT },
      { id: 'later', subject: 'later', action: 'defer' },
      { id: 'thanks', to: 'thanks@y.z', message: '250 thanks' },
    ];
    for (const rule of [undefined, ...rules]) {
      if (rule !== undefined) host.kind('smtp').mocks.create(rule);
      await send(await RawClient.greet(port), 'a@b.c', 'a@b.c');
    }
    expect(host.journal.list()).toHaveLength(rules.length + 1);
    expect(host.journal.list({ unmatched: true })).toEqual([]);
    const check = { expect: [{ smtp: { unmatched: true }, times: 0 }] };
    expect(await host.verify(check)).toMatchObject({ verified: true, looked_at: rules.length + 1 });
    expect(host.kind('smtp').explain('a@b.c -> a@b.c')).toMatchObject({ outcome: 'own' });
    expect(await send(await RawClient.greet(port), 'a@b.c', 'thanks@y.z')).toBe('250 thanks');
    expect(host.journal.list({ matchedId: 'thanks' })).toHaveLength(1);
  });

  it('is what explain reads', async () => {
    const { port, host, entries } = await startHost({
      rules: [
        { id: 'one', from: 'a@b.c', subject: 'Grüße', ...REJECT },
        { id: 'two', to: 'd@e.f', ...REJECT },
      ],
    });
    const client = await RawClient.greet(port);
    await send(client, 'a@b.c', 'x@y.z', 'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\n');
    const { explain } = host.kind('smtp');
    const explained = (entry: object): unknown => explain.call(host.kind('smtp'), entry);
    expect(explained(entries()[0] ?? {})).toMatchObject({ outcome: 'matched', mock_id: 'one' });
    expect(explained({ from: 'q@b.c', to: ['a@b.c', 'D@E.F'] })).toMatchObject({ mock_id: 'two' });
    expect(
      explained({
        path: 'a@b.c -> x@y.z',
        body: 'A: b\r\nSubject: =?utf-8?q?Gr=C3=BC?=\r\n =?utf-8?q?=C3=9Fe?=\r\n\r\n',
      }),
    ).toMatchObject({ mock_id: 'one' });
    expect(explained({ from: 'a@b.c', to: 'z@z.z' })).toMatchObject({
      outcome: 'own',
      others: expect.arrayContaining([{ mock_id: 'two', reason: 'to: got "z@z.z", want "d@e.f"' }]),
    });
  });
});

describe('faults', () => {
  it('answer where the rules decide, and 421 ends the session', async () => {
    const { port, host, emails, entries } = await startHost({ rules: [{ id: 'r', subject: 'test' }] });
    host.faults.set('smtp', {});
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'd@e.f')).toBe('421 fault injected');
    await client.closes();
    host.kind('smtp').mocks.remove('r');
    const early = await RawClient.greet(port);
    expect(await early.say('MAIL FROM:<a@b.c>')).toBe('421 fault injected');
    await early.closes();
    expect(emails()).toEqual([]);
    expect(entries()).toMatchObject([
      { status: 421, fault: true, matched_id: 'r', path: 'a@b.c -> d@e.f' },
      { status: 421, fault: true, path: 'a@b.c ->' },
    ]);
  });

  it('have code, message, rate and delay of their own', async () => {
    const { port, host } = await startHost();
    host.faults.set('smtp', { code: 452, message: '4.3.1 disk full' });
    const client = await RawClient.greet(port);
    expect(await client.sayAll('MAIL FROM:<a@b.c>', 'MAIL FROM:<a@b.c>')).toEqual([
      '452 4.3.1 disk full',
      '452 4.3.1 disk full',
    ]);
    host.faults.set('smtp', { code: 550, error_rate: 0.5 });
    const replies: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      replies.push(await client.say('MAIL FROM:<a@b.c>'));
      await client.say('RSET');
    }
    expect(new Set(replies)).toEqual(new Set(['250 Accepted', '550 fault injected']));
    host.faults.set('smtp', { delay: '1h' });
    host.kind('smtp').mocks.create({ id: 'any', from: '*' });
    const late = client.say('MAIL FROM:<a@b.c>');
    await eventually(() => host.kind('smtp').calls.of('any').count === 1);
    await host.clock.advance(3_600_000);
    expect(await late).toBe('250 Accepted');
    expect(() => host.faults.set('smtp', { code: 250 })).toThrow(/code/);
  });

  it('of phase connect refuse the connection', async () => {
    const { port, host } = await startHost();
    host.faults.set('smtp', { phase: 'connect' });
    const client = await RawClient.open(port, { greeting: false });
    expect(await client.reply()).toBe('closed');
    host.faults.clear('smtp');
    expect(await send(await RawClient.greet(port), 'a@b.c', 'd@e.f')).toMatch(/^250/);
  });
});
