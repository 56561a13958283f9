import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { describePrivateNames, type PrivateName } from '@backlot/conformance';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

type Members = Readonly<Record<string, unknown>>;

const SESSION = 'in src/wire/mail-session.ts';
const PARSER = 'in src/wire/mail-parser.ts';
const server = new SMTPServer({ logger: false, disabledCommands: ['STARTTLS'] });
server.on('error', () => undefined);
const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
const connection = new SMTPConnection(server, socket as Socket) as unknown as Members;
const stream = new SMTPStream({}) as unknown as Members;

type Type = NonNullable<PrivateName['type']>;

function ofConnection(name: string, use: string): PrivateName {
  const find = (): unknown => (SMTPConnection.prototype as unknown as Members)[name];
  return { name: `SMTPConnection.prototype.${name}`, use: `${use}, ${SESSION}`, find };
}

function inConnection(name: string, type: Type, use: string): PrivateName {
  return { name: `SMTPConnection.${name}`, use: `${use}, ${SESSION}`, type, find: () => connection[name] };
}

function ofStream(name: string, use: string): PrivateName {
  const find = (): unknown => (SMTPStream.prototype as unknown as Members)[name];
  return { name: `SMTPStream.prototype.${name}`, use: `${use}, ${PARSER}`, find };
}

/** The field is there from the beginning, so that what it is set to means something to the library. */
function inStream(name: string, use: string): PrivateName {
  const find = (): unknown => (name in stream ? true : undefined);
  return { name: `SMTPStream.${name}`, use: `${use}, ${PARSER}`, type: 'boolean', find };
}

describePrivateNames({ name: 'smtp-server', testUrl: import.meta.url }, [
  ofConnection('init', 'begins a session; replaced, so that clients are greeted at once'),
  ofConnection('_setListeners', 'connects the socket with the parser'),
  ofConnection('connectionReady', 'goes on when a session has begun'),
  ofConnection('_sendGreeting', 'greets; left out after STARTTLS'),
  ofConnection('_createParser', 'makes the parser, which is our own'),
  ofConnection('send', 'sends every reply; counts errors here'),
  ofConnection('close', 'ends a session that has no more to answer'),
  ofConnection('_resetSession', 'forgets a mail: RSET, EHLO, the end of a mail'),
  ofConnection('_validateMailParams', 'checks MAIL FROM, and refuses a SIZE'),
  ofConnection('_onCommand', 'takes a line'),
  ofConnection('handler_STARTTLS', 'answers STARTTLS, which is done by kit'),
  inConnection(
    '_nextHandler',
    'boolean',
    'says whether a line belongs to a login, and is cleared behind a long one',
  ),
  inConnection('_closing', 'boolean', 'says that the session ends'),
  inConnection('_socket', 'object', 'is let go of before STARTTLS'),
  inConnection('_parser', 'object', 'is taken off the socket before STARTTLS'),
  inConnection('_server', 'object', 'has the list of sessions'),
  inConnection('secure', 'boolean', 'says that the connection is encrypted'),
  inConnection('session', 'object', 'is what the listeners of the server are given'),
  inConnection('name', 'string', 'is the name of the server in its last words'),
  {
    name: 'SMTPServer.connections.delete',
    use: `forgets a session, ${SESSION} and src/server.ts`,
    find: () => server.connections.delete,
  },
  ofStream('startDataMode', 'begins a mail'),
  ofStream('continue', 'goes on after a mail'),
  ofStream('_feedDataStream', 'takes a piece of a mail; replaced, so that only CRLF ends a line'),
  ofStream('_endDataMode', 'ends a mail'),
  ofStream('_countDataBytes', 'counts the bytes of a mail against its limit'),
  ofStream('oncommand', 'gets each line; replaced by our bound of its length'),
  inStream('_continueCallback', 'is what goes on after a mail'),
  inStream('_dataStream', 'is the mail that is being read'),
  inStream('isClosed', 'stops the parser'),
]);
