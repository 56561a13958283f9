import { checkAt, defineProtocol, parseDuration } from '@backlot/core/plugin';
import type { MAIL } from '@backlot/kit';
import { INCIDENTS } from './incidents.js';
import { COMMAND } from './command-line.js';
import { checkAuth } from './auth.js';
import { readAttachment } from './attachments.js';
import { CapturedMail } from './captured-mail.js';
import { EMISSION } from './emission.js';
import { explainEntry } from './explain.js';
import { compileRule } from './matcher.js';
import { RuleIndex } from './mock-index.js';
import {
  ConfigSchema,
  DEFAULT_MAX_EMAILS,
  DEFAULT_MAX_EMAILS_BYTES,
  FaultSchema,
  MailSchema,
  RuleSchema,
} from './schemas.js';

/** SMTP: takes mail in, keeps it, and refuses what its rules refuse. */
export const smtp = defineProtocol({
  kind: 'smtp',
  meta: {
    title: 'SMTP',
    summary: 'A mail server that keeps every mail it takes, and rejects or defers those that its rules name.',
    transport: 'stream',
    defaultPort: 2525,
    url: 'smtp://{host}:{port}',
    tls: 'starttls',
  },
  config: ConfigSchema,
  mocks: {
    noun: 'rule',
    configKey: 'rules',
    mode: 'first',
    schema: RuleSchema,
    matching: { fields: ['from', 'to', 'subject', 'headers', 'text', 'html', 'body', 'attachments'] },
    examples: [
      {
        id: 'blocked',
        from: '*@spam.example',
        action: 'reject',
        message: '550 5.7.1 {{request.from}} is blocked',
      },
      { id: 'full', to: 'full@example.com', action: 'reject', message: '552 Mailbox full' },
      { id: 'greylist', from: 're:^new-', action: 'defer', message: 'Come back in a minute' },
      { id: 'invoices', subject: { prefix: 'Invoice' }, action: 'accept' },
      {
        id: 'no-programs',
        attachments: [{ filename: '*.exe' }],
        action: 'reject',
        message: '552 5.7.0 No programs please',
      },
    ],
    compile: compileRule,
    answer: { fields: ['action', 'message'], direct: 'action' },
    // An inbox takes what no rule names: that is what it is for.
    quietWhenUnmatched: true,
    ownWhenUnmatched: true,
    index: () => new RuleIndex(),
    patchTargets: { body: ['/message'] },
    explain: explainEntry,
    explained: {
      fields: {
        from: '/from',
        to: '/to',
        subject: '/subject',
        text: '/text',
        html: '/html',
        attachments: '/attachments',
      },
      line: { example: 'ann@example.com -> bob@example.com', read: (path) => ({ path }) },
    },
  },
  fault: {
    schema: FaultSchema,
    default: { code: 421, message: 'fault injected' },
    login: true,
    standing: ['greylist'],
    check({ greylist }) {
      if (greylist !== undefined) checkAt('/greylist', () => void parseDuration(greylist));
    },
  },
  capture: {
    schema: MailSchema,
    path: '/api/emails',
    limit: DEFAULT_MAX_EMAILS,
    limitKey: 'max_emails',
    bytes: DEFAULT_MAX_EMAILS_BYTES,
    bytesKey: 'max_emails_bytes',
    timeField: 'received_at',
    passes: {
      pack: (mail) => CapturedMail.pack(mail as CapturedMail),
      unpack: (packed) => CapturedMail.unpack(packed),
    },
    view: {
      as: 'mail',
      title: 'subject',
      from: 'from',
      to: 'to',
      text: 'text',
      html: 'html',
      source: 'body',
    },
    // The type alone is imported: kit costs nothing where the kind is not enabled.
    gives: 'mail' satisfies typeof MAIL,
    attachment: readAttachment,
  },
  checkConfig: checkAuth,
  incidents: INCIDENTS,
  command: COMMAND,
  // Loaded when the kind is enabled: its server and its libraries cost nothing where nobody uses them.
  emits: EMISSION,
  recording: {
    modes: ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'],
    refusesUnrecorded: true,
    startsTls: true,
  },
  async create(context) {
    const { createSmtpService } = await import('./server.js');
    const { upstream } = context;
    if (upstream?.isDecoded !== true) return createSmtpService(context);
    const { Relay } = await import('./upstream/relay.js');
    return createSmtpService(context, new Relay(context, upstream));
  },
});
