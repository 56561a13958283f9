import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

/** Two clients: a session that is found again, a will of somebody who is lost, each QoS, and an answer by a mock. */
const SCRIPT = `
import queue, sys
import paho.mqtt.client as mqtt
from paho.mqtt.properties import Properties
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.subscribeoptions import SubscribeOptions

port, version = int(sys.argv[1]), {'3.1': mqtt.MQTTv31, '3.1.1': mqtt.MQTTv311, '5': mqtt.MQTTv5}[sys.argv[2]]
is5 = version == mqtt.MQTTv5

def client(name, connect=True, **will):
    kept = {} if is5 else {'clean_session': False}
    c = mqtt.Client(name, protocol=version, **kept)
    c.messages, c.events = queue.Queue(), queue.Queue()
    c.on_connect = lambda c, u, flags, code, *more: c.events.put(('connected', int(flags['session present']), int(code if not is5 else code.value)))
    c.on_subscribe = lambda c, u, mid, codes, *more: c.events.put(('subscribed', [int(code.value if is5 else code) for code in codes]))
    c.on_message = lambda c, u, m: c.messages.put(m)
    if will:
        c.will_set(**will)
    if is5:
        session = Properties(PacketTypes.CONNECT)
        session.SessionExpiryInterval = 600
        c.connect('127.0.0.1', port, clean_start=False, properties=session)
    else:
        c.connect('127.0.0.1', port)
    c.loop_start()
    print(name, *c.events.get(timeout=20))
    return c

def take(c):
    m = c.messages.get(timeout=20)
    print(m.topic, m.payload.decode(), m.qos, int(m.retain))
    return m

reader = client('reader')
reader.subscribe([('told/#', 2), ('gone', 1)] if not is5 else [('told/#', SubscribeOptions(qos=2)), ('gone', SubscribeOptions(qos=1))])
print(*reader.events.get(timeout=20))
writer = client('writer', topic='gone', payload='lost', qos=1)
for qos in (0, 1, 2):
    writer.publish('told/%d' % qos, 'message', qos=qos).wait_for_publish(20)
    take(reader)
writer.publish('ask', 'you', qos=1).wait_for_publish(20)
take(reader)
if is5:
    p = Properties(PacketTypes.PUBLISH)
    p.ContentType, p.CorrelationData, p.ResponseTopic = 'text/plain', b'17', 'told/answer'
    p.UserProperty = [('trace', 'a'), ('trace', 'b')]
    writer.publish('told/5', 'rich', qos=1, properties=p).wait_for_publish(20)
    got = take(reader).properties
    print(got.ContentType, got.CorrelationData, got.ResponseTopic, got.UserProperty)
reader.disconnect()
reader.loop_stop()
writer.publish('told/late', 'kept', qos=1).wait_for_publish(20)
again = client('reader')
take(again)
# Lost without a DISCONNECT.
writer._sock_close()
take(again)
writer.loop_stop()
again.disconnect()
again.loop_stop()
`;

describe('paho', () => {
  itWithTool('python3:paho.mqtt.client', 'speaks every version', async () => {
    const { port } = await startHost({
      mocks: [{ topic: 'ask', response: { topic: 'told/by', payload: 'hello {{request.payload}}', qos: 2 } }],
    });
    for (const version of ['3.1', '3.1.1', '5']) {
      const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port), version]);
      expect(err).toBe('');
      expect(out.trim().split('\n')).toEqual([
        // The session of the one before is there for the next version.
        `reader connected ${version === '3.1' ? 0 : 1} 0`,
        'subscribed [2, 1]',
        `writer connected ${version === '3.1' ? 0 : 1} 0`,
        'told/0 message 0 0',
        'told/1 message 1 0',
        'told/2 message 2 0',
        'told/by hello you 2 0',
        ...(version === '5'
          ? ['told/5 rich 1 0', "text/plain b'17' told/answer [('trace', 'a'), ('trace', 'b')]"]
          : []),
        'reader connected 1 0',
        'told/late kept 1 0',
        'gone lost 1 0',
      ]);
    }
  });
});
