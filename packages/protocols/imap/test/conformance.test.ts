import { abandon, describeConformance, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import { imap } from '../src/index.js';
import { openFlow, type Untagged } from './support.js';

const holding = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ subject: `message ${index + 1}` }));

describeConformance(imap, {
  imports: [
    {
      format: 'mbox',
      name: 'mails.mbox',
      content: `From MAILER-DAEMON Fri Jul  8 12:08:34 2011
From: Author <author@example.com>
To: Recipient <recipient@example.com>
Subject: Sample message 1
Status: RO

This is the body.
>From (should be escaped).
There are 3 lines.

From MAILER-DAEMON Fri Jul  8 12:08:34 2011
From: Author <author@example.com>
To: Recipient <recipient@example.com>
Subject: Sample message 2

This is the second body.
`,
    },
    {
      format: 'eml',
      name: 'one.eml',
      content: 'From: ann@example.com\r\nTo: bob@example.com\r\nSubject: Hello\r\n\r\nHello {{name}}\r\n',
    },
    {
      format: 'maildir',
      name: 'Maildir',
      content: '',
      files: {
        'cur/1.a:2,FS': 'From: a@example.com\nSubject: One\n\n1\n',
        'new/2.a': 'From: b@example.com\nSubject: Two\n\n2\n',
        '.Archive.2024/cur/3.a:2,S': 'From: c@example.com\nSubject: Three\n\n3\n',
      },
    },
  ],
  mocks: {
    simple: { name: 'simple', messages: holding(1) },
    changed: { name: 'simple', messages: holding(2) },
    other: { name: 'other', messages: holding(3) },
    bad: [
      {},
      { name: '' },
      { name: 'a*' },
      { name: 'a%b' },
      { name: '/a' },
      { name: 'a//b' },
      { name: 'a\nb' },
      { name: 'a'.repeat(256) },
      { name: 'a', messages: {} },
      { name: 'a', messages: [{ seq_num: 2 }] },
      { name: 'a', messages: [{ seq_num: 1 }, { seq_num: 1 }] },
      { name: 'a', messages: [{ uid: 2 }, { uid: 2 }] },
      { name: 'a', messages: [{ uid: 5 }, { uid: 4 }] },
      { name: 'a', messages: [{ uid: 0 }] },
      { name: 'a', messages: [{ flags: ['\\Recent'] }] },
      { name: 'a', messages: [{ flags: ['two words'] }] },
      { name: 'a', messages: [{ flags: ['\\Unheard'] }] },
      { name: 'a', messages: [{ date: 'yesterday\n' }] },
      { name: 'a', messages: [{ raw: 'Subject: a\n\nb', date: 'yesterday' }] },
      { name: 'a', messages: [{ date: '2024-13-01T00:00:00Z' }] },
      { name: 'a', messages: [{ subject: 'a\r\nBcc: b' }] },
      { name: 'a', messages: [{ to: ['a', 'b\nc'] }] },
      { name: 'a', messages: [{ raw: 'Subject: a\n\nb', subject: 'c' }] },
      { name: 'a', messages: [{ raw: 'a\0b' }] },
      { name: 'a', messages: [{ raw: '' }] },
      { name: 'a', messages: [{ body: '{{#open}}' }] },
      { name: 'a', messages: [{ cc: 'b' }] },
    ],
  },
  answers: {
    simple: '1 messages',
    changed: '2 messages',
    other: '3 messages',
    unmatched: 'NO',
    fault: 'NO',
  },
  logged: { method: 'STATUS', path: 'simple' },
  login: {
    async attempt({ port }) {
      try {
        const client = await openFlow(port, { keep: true });
        abandon(client.socket);
        return 'accepted';
      } catch (error) {
        const { responseStatus, serverResponseCode } = error as Readonly<Record<string, unknown>>;
        return `${String(responseStatus)} ${String(serverResponseCode)}`;
      }
    },
    refused: 'NO AUTHENTICATIONFAILED',
    custom: { fault: { response: 'BAD' }, refused: 'BAD undefined' },
  },
  connect,
  namesSpaces: true,
});

/** imapflow in its default settings, below its `status`, which makes two commands of one where a mailbox is missing. */
async function connect(address: ListenAddress, space?: string): Promise<ProbeClient> {
  const named = space === undefined ? {} : { auth: { user: `${space}+ann`, pass: 'secret' } };
  const client = await openFlow(address.port, { keep: true, ...named });
  const closed = new Promise<string>((resolve) => client.once('close', () => resolve('closed')));
  return {
    async send(name) {
      let answer = '';
      const untagged = {
        STATUS: async ({ attributes }: Untagged) => {
          answer = `${attributes[1]?.[1]?.value} messages`;
        },
      };
      const command = client
        .exec('STATUS', [{ type: 'ATOM', value: name }, [{ type: 'ATOM', value: 'MESSAGES' }]], { untagged })
        .then(
          (response) => {
            response.next();
            return answer;
          },
          ({ responseStatus }: { responseStatus?: string }) => responseStatus ?? 'closed',
        );
      return Promise.race([closed, command]);
    },
    close: () => abandon(client.socket),
  };
}
