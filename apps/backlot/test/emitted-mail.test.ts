import { expect, it } from '@jest/globals';
import { collectCleanups, startKind } from '@backlot/conformance';
import { createManagementServer } from '@backlot/management';
import { smtp } from '@backlot/smtp';
import { createTransport } from 'nodemailer';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const later = collectCleanups();

const TO = 'ann@example.com';
const FROM = 'backlot@localhost';
const HEAD = ['Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=', 'Message-ID: <1@x.y>', 'Cc: Carl <carl@x.y>'];
const LONG = 'a line of the text, which goes on\r\n'.repeat(2_000);
const PARTS = [
  'Content-Type: multipart/mixed; boundary=out',
  '',
  '--out',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('grün').toString('base64'),
  '--out',
  'Content-Type: image/png; name=a.png',
  'Content-Transfer-Encoding: base64',
  '',
  'AAH+/w==',
  '--out--',
  '',
];

const MAILS: readonly (readonly [string, string, object])[] = [
  ['a long mail', [...HEAD.slice(0, 2), '', LONG].join('\r\n'), { attachments: [] }],
  [
    'a mail of several parts',
    [...HEAD, ...PARTS].join('\r\n'),
    { text: 'grün', cc: ['carl@x.y'], attachments: [{ filename: 'a.png', size: 4 }] },
  ],
];

it.each(MAILS)('%s that is emitted is shown as one that was received', async (_, raw, shown) => {
  const { host, port } = await startKind(smtp, later);
  const management = createManagementServer(host).listen(0, '127.0.0.1');
  later(() => {
    management.closeAllConnections();
    management.close();
  });
  await once(management, 'listening');
  const ask = async (path: string, body?: object): Promise<Record<string, unknown>[]> => {
    const url = `http://127.0.0.1:${(management.address() as AddressInfo).port}${path}`;
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await (await fetch(url, options)).json()) as Record<string, unknown>[];
  };
  const client = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  await client.sendMail({ envelope: { from: FROM, to: TO }, raw });
  await ask('/api/emit/smtp', { to: TO, from: FROM, raw });
  const list = await ask('/api/emails');
  expect(list).toHaveLength(2);
  const wholes: Record<string, unknown>[] = [];
  for (const { id } of list) wholes.push(...[await ask(`/api/emails/${String(id)}`)].flat());
  for (const [one, other] of [list, wholes]) {
    expect(one).toMatchObject({ subject: 'Grüße', message_id: '<1@x.y>', ...shown });
    expect({ ...one, id: '', received_at: '' }).toEqual({ ...other, id: '', received_at: '' });
  }
});
