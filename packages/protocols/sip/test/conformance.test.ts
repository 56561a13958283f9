import { describeConformance } from '@backlot/conformance';
import { sip } from '../src/index.js';
import { makeRequest, UdpClient } from './support.js';

const uri = 'sip:simple@example.com';

describeConformance(sip, {
  mocks: {
    simple: { method: 'MESSAGE', uri, response: { body: 'one' } },
    changed: { method: 'MESSAGE', uri, response: { body: 'two' } },
    other: { method: 'MESSAGE', uri: 'sip:other@example.com', response: { status: 202, body: 'three' } },
    template: { uri, response: { body: '{{upper request.uri.user}}' } },
    bad: [
      { uri, response: { status: 100 } },
      { uri, response: { status: 700 } },
      { uri, response: { status: '200' } },
      { uri, response: { reason: 'a\r\nb' } },
      { uri, response: { headers: { Via: 'SIP/2.0/UDP a' } } },
      { uri, response: { headers: { l: '5' } } },
      { uri, response: { headers: { 'X Y': 'a' } } },
      { uri, response: { headers: { 'X-Y': 'a\r\nb: c' } } },
      { uri, response: { body: '{{#open}}' } },
      { uri, provisional: [200] },
      { uri, provisional: [{ status: 180, headers: { To: 'a' } }] },
      { uri_regex: '(' },
      { method: 'ACK' },
      { method: 'CANCEL' },
      { method: 'A B' },
    ],
  },
  answers: {
    simple: '200 one',
    changed: '200 two',
    other: '202 three',
    template: '200 SIMPLE',
    unmatched: '404',
    fault: '503',
  },
  logged: { method: 'MESSAGE', path: uri },
  async connect({ port }) {
    const client = new UdpClient(port);
    return {
      async send(message) {
        const { status, body } = await client.ask(
          makeRequest('MESSAGE', { uri: `sip:${message}@example.com`, body: 'hello' }),
        );
        return status < 300 ? `${status} ${body}` : String(status);
      },
      close: () => undefined,
    };
  },
});
