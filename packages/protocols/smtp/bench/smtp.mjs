// Mails per second: a bare smtp-server that reads and drops what it gets, against this plugin without rules, and with 1
// and with 10,000 rules.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { smtp } from '@backlot/smtp';
import { compareServers, countByMark, loadStreams, portOf, serveMocks } from '@backlot/tooling/bench';
import { SMTPServer } from 'smtp-server';

const MANY = 10_000;
const DATA =
  'From: a@example.com\r\nTo: b@example.com\r\nSubject: hello\r\nMessage-ID: <1@example.com>\r\n' +
  `Content-Type: text/plain; charset=utf-8\r\n\r\n${'A line of text as mails have them.\r\n'.repeat(10)}.\r\n`;

const serve = serveMocks(createHost, smtp, (n) => ({ to: `n${n}@example.com`, subject: 'hello' }));

await compareServers(import.meta.url, {
  name: 'smtp',
  unit: 'mail',
  servers: { bare: serveBare, none: serve(0), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare smtp-server', server: 'bare' },
    { label: 'no rules', server: 'none' },
    { label: '1 rule', server: 'one' },
    { label: '10,000 rules', server: 'many', count: MANY },
  ],
  load,
  ratios: [
    { what: '10,000 rules', of: '1 rule' },
    { what: '1 rule', of: 'bare smtp-server', goal: 1.2 },
  ],
});

function serveBare() {
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onData: (stream, _session, callback) => stream.resume().on('end', () => callback()),
  });
  return portOf(server.listen(0, '127.0.0.1'));
}

/** Connections that send one mail after the other, each step when the one before was answered. */
async function load({ port, count = 1 }, milliseconds) {
  const stepsOf = (n) => [
    'MAIL FROM:<a@example.com>\r\n',
    `RCPT TO:<n${n % count}@example.com>\r\n`,
    'DATA\r\n',
    DATA,
  ];
  const answered = await loadStreams({
    port,
    milliseconds,
    connections: 8,
    open: async (socket) => {
      await once(socket, 'data');
      socket.write('EHLO bench\r\n');
      await once(socket, 'data');
    },
    ask: (n, index) => stepsOf(index * 617 + Math.floor(n / 4))[n % 4],
    counter: () => {
      const replies = countByMark('\r\n');
      return (chunk) => {
        if (chunk[0] >= '4'.charCodeAt(0)) throw new Error(String(chunk));
        return replies(chunk);
      };
    },
  });
  return answered / 4;
}
