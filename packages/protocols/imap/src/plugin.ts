import { defineProtocol, invalid } from '@backlot/core/plugin';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { compileMailbox } from './mailbox-mock.js';
import { NameIndex } from './mock-index.js';
import { MAILBOXES, MESSAGES, PUBLISH } from './sections/declaration.js';
import { ConfigSchema, FaultSchema, MockSchema } from './schemas.js';

/** IMAP4rev1, with mailboxes that mocks fill. */
export const imap = defineProtocol({
  kind: 'imap',
  meta: {
    title: 'IMAP',
    summary: 'An IMAP4rev1 server whose mailboxes are the mocks, and that clients can change.',
    transport: 'stream',
    defaultPort: 1143,
    furtherPorts: ['/pop3_port'],
    url: 'imap://{host}:{port}',
    tls: 'starttls',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'mailbox',
    configKey: 'mailboxes',
    mode: 'items',
    schema: MockSchema,
    examples: [
      {
        id: 'inbox',
        name: 'INBOX',
        messages: [
          {
            from: 'Ann <ann@example.com>',
            to: 'bob@example.com',
            subject: 'Your order',
            body: 'Order 7 has been shipped.',
            date: '2024-02-01T09:30:00Z',
          },
          {
            uid: 10,
            flags: ['\\Seen', '\\Flagged'],
            raw: 'From: shop@example.com\r\nSubject: Invoice\r\nContent-Type: text/html\r\n\r\n<p>3.50</p>\r\n',
          },
        ],
      },
      { id: 'archive', name: 'Archive/2024' },
    ],
    compile: compileMailbox,
    index: () => new NameIndex(),
    patchTargets: { body: ['/messages/*/body'] },
    explained: { fields: { name: '/path' } },
  },
  data: { mailboxes: MAILBOXES, messages: MESSAGES },
  publish: PUBLISH,
  fault: { schema: FaultSchema, default: { response: 'NO', message: 'fault injected' }, login: true },
  checkConfig({ deliver, inbox_from: source }) {
    if (deliver === true && source !== undefined)
      throw invalid(
        `deliver is true, but inbox_from "${source}" puts all mail into one INBOX; leave one of the two out`,
      );
  },
  incidents: INCIDENTS,
  command: COMMAND,
  imports: {
    formats: { mbox: 'mbox', eml: 'Mail (.eml)', maildir: 'Maildir' },
    load: async () => (await import('./imports/importers.js')).importers,
  },
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  async create(context) {
    const { createImapService } = await import('./server.js');
    return createImapService(context);
  },
});
