// What a FETCH of a message costs: a bare node:net server that cuts lines and answers the same bytes, against this plugin
// with 1 and with 1,000 mailboxes.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { imap } from '@backlot/imap';
import { compareServers, countByMark, listen, loadStreams, startMocks } from '@backlot/tooling/bench';

const MANY = 1_000;
const BODY = 'A line of a message, as people write them.\r\n'.repeat(40);
const RAW = `From: ann@example.com\r\nSubject: bench\r\n\r\n${BODY}`;

const nameOf = (n) => `Folder${n}`;
const serve = (count) => () => {
  const mailboxes = Array.from({ length: count }, (_, n) => ({ name: nameOf(n), messages: [{ raw: RAW }] }));
  return startMocks(createHost, imap, [], { mailboxes });
};

await compareServers(import.meta.url, {
  name: 'imap',
  unit: 'message',
  servers: { bare: () => listen(answerBare), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: '1 mailbox', server: 'one' },
    { label: '1,000 mailboxes', server: 'many', count: MANY },
  ],
  load: ({ port, count = 1 }, milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      connections: 8,
      underWay: 16,
      open: async (socket, index) => {
        socket.write(`l LOGIN a b\r\ns SELECT ${nameOf((index * 97) % count)}\r\n`);
        const isSelected = countByMark('\ns OK');
        while (isSelected((await once(socket, 'data'))[0]) === 0);
      },
      ask: () => 'f FETCH 1 BODY.PEEK[]\r\n',
      counter: () => countByMark('\nf OK'),
    }),
  ratios: [{ what: '1,000 mailboxes', of: '1 mailbox' }],
});

function answerBare(socket) {
  let rest = '';
  socket.write('* OK ready\r\n');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop();
    for (const line of lines) {
      const [tag, command] = line.split(' ');
      const content = command === 'FETCH' ? `* 1 FETCH (BODY[] {${RAW.length}}\r\n${RAW})\r\n` : '';
      socket.write(`${content}${tag} OK ${command} completed\r\n`, 'latin1');
    }
  });
}
