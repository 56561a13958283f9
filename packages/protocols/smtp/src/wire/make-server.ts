import { SMTPServer } from 'smtp-server';
import type { Authentication } from '../auth.js';
import type { MailTransactions } from '../mail-transactions.js';
import type { Reply } from '../reply.js';
import { gather } from './gather.js';

/** RFC 5321, 4.5.3.1.8, asks for 100 at the least. */
const MAX_RECIPIENTS = 1000;
/** RFC 5321, 4.5.3.2.7: how long a server waits for the next command, in ms. */
const IDLE_TIMEOUT = 5 * 60 * 1000;
/** Commands of the library that are jokes, or let a client say that it is another one. */
const NEVER = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD'];

type Session = Parameters<SMTPServer['onMailFrom']>[1];

/** What the library's server is made of. */
export interface MailServerOptions {
  readonly domain: string;
  readonly maxMessageBytes: number;
  readonly authentication: Authentication;
  /** Whether EHLO names STARTTLS, and whether the command is there. */
  readonly startTls: 'offered' | 'silent' | 'absent';
  readonly transactionsOf: (session: Session) => MailTransactions;
}

/**
 * Makes the library's server. It never listens and never does TLS, which is the kit's part; its own key, which everybody
 * knows, is therefore never used.
 */
export function makeServer(options: MailServerOptions): SMTPServer {
  const { domain, maxMessageBytes, authentication, startTls, transactionsOf } = options;
  const server = new SMTPServer({
    name: domain,
    logger: false,
    disableReverseLookup: true,
    size: maxMessageBytes,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT,
    lenientAddressParsing: true,
    hideSTARTTLS: startTls !== 'offered',
    disabledCommands: startTls === 'absent' ? [...NEVER, 'STARTTLS'] : NEVER,
    allowInsecureAuth: true,
    authOptional: authentication.isOptional,
    authMethods: [...authentication.methods],
    onAuth: authentication.check,
    onConnect: (_session, callback) => callback(),
    onSecure: (_socket, _session, callback) => callback(),
    onMailFrom({ address, args }, session, callback) {
      transactionsOf(session).begin(address, (refusal) => callback(errorOf(refusal)), args || {});
    },
    onRcptTo({ address }, session, callback) {
      transactionsOf(session).addRecipient(address, (refusal) => callback(errorOf(refusal)));
    },
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address);
      gather(stream, (raw) =>
        transactionsOf(session).finish(recipients, raw, (reply) => {
          if (reply.code === 250) callback(null, reply.text);
          else callback(errorOf(reply));
        }),
      );
    },
  });
  server.on('error', () => undefined);
  return server;
}

function errorOf(reply: Reply | undefined): (Error & { responseCode: number }) | null {
  return reply === undefined ? null : Object.assign(new Error(reply.text), { responseCode: reply.code });
}
