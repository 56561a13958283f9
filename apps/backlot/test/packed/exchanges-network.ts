import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import snmp from 'net-snmp';
import type { Exchange } from './exchanges.js';

/** Sockets, names, devices and telephones. */
export const connectNetwork: Readonly<Record<string, Exchange>> = {
  tcp: {
    settings: { mocks: [{ id: 'ping', match: 'PING', response: 'PONG' }] },
    async run(port) {
      const socket = connect(port, 'localhost');
      socket.write('PING');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString();
    },
    want: 'PONG',
  },
  snmp: {
    settings: { mocks: [{ id: 'name', oid: '1.3.6.1.2.1.1.5.0', value: 'router' }] },
    run(port) {
      const session = snmp.createSession('127.0.0.1', 'public', { port, version: snmp.Version2c });
      return new Promise((resolve, reject) => {
        session.get(['1.3.6.1.2.1.1.5.0'], (error, bindings) => {
          session.close();
          if (error) reject(error);
          else resolve(bindings?.map(({ value }) => String(value)));
        });
      });
    },
    want: ['router'],
  },
  dns: {
    settings: { mocks: [{ id: 'a', name: 'a.test', type: 'A', records: ['10.0.0.1'] }] },
    run(port) {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${port}`]);
      return resolver.resolve4('a.test');
    },
    want: ['10.0.0.1'],
  },
  coap: {
    settings: {
      mocks: [{ id: 'temperature', method: 'GET', path: '/temperature', response: { payload: '21' } }],
    },
    async run(port) {
      const path = Buffer.from('temperature');
      // A confirmable GET with message id 1, whose only option is Uri-Path (11).
      const answer = await ask(port, Buffer.concat([Buffer.from([0x40, 1, 0, 1, 0xb0 + path.length]), path]));
      return [answer.subarray(0, 4).toString('hex'), answer.subarray(answer.indexOf(0xff) + 1).toString()];
    },
    // An acknowledgement of message 1 with 2.05 Content.
    want: ['60450001', '21'],
  },
  sip: {
    settings: { mocks: [{ id: 'bob', method: 'OPTIONS', uri: 'sip:bob@*', response: { status: 486 } }] },
    async run(port) {
      const lines = [
        'OPTIONS sip:bob@localhost SIP/2.0',
        'Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1;rport',
        'From: <sip:ann@localhost>;tag=1',
        'To: <sip:bob@localhost>',
        'Call-ID: 1',
        'CSeq: 1 OPTIONS',
        'Max-Forwards: 70',
        'Content-Length: 0',
      ];
      const answer = await ask(port, Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
      return answer.toString().split('\r\n')[0];
    },
    want: 'SIP/2.0 486 Busy Here',
  },
};

/** Sends a datagram and waits for the one that comes back. */
async function ask(port: number, data: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4');
  socket.send(data, port, '127.0.0.1');
  const [answer] = (await once(socket, 'message')) as [Buffer];
  socket.close();
  return answer;
}
