import { describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { startHost, type Running } from './support.js';

/** Runs a line of the shell with the address as $B; fails when it fails. */
async function run(running: Running, line: string): Promise<string> {
  const { code, out, err } = await runTool('sh', ['-c', `B=${running.address}; set -e; ${line}`]);
  if (code !== 0) throw new Error(`"${line}" ended with ${code}: ${err}`);
  return out;
}

describe('kcat', () => {
  itWithTool('kcat', 'lists the broker and its topics', async () => {
    const running = await startHost({ topics: [{ name: 'three', partitions: 3 }] });
    const listing = await run(running, 'kcat -b $B -L');
    expect(listing).toContain(`broker 1 at ${running.address} (controller)`);
    expect(listing).toContain('topic "three" with 3 partitions');
  });

  itWithTool('kcat', 'reads the records of a mock with keys and headers', async () => {
    const records = [{ key: 'k', value: 'v', headers: { a: '1' } }, { value: 'w' }];
    const running = await startHost({ mocks: [{ topic: 'seeded', records }] });
    expect(await run(running, "kcat -b $B -C -t seeded -e -q -f '%o %k %s %h\\n'")).toBe(
      '0 k v a=1\n1  w \n',
    );
  });

  itWithTool('kcat', 'has a mock answer what it produces', async () => {
    const running = await startHost({
      mocks: [
        { topic: 'in', value: 'ping*', response: { topic: 'out', key: '{{request.key}}', value: 'pong' } },
      ],
    });
    await run(running, "printf 'k:ping 1\\nk:other\\n' | kcat -b $B -P -t in -K : -H trace=abc");
    expect(await run(running, "kcat -b $B -C -t out -e -q -f '%k %s\\n'")).toBe('k pong\n');
    expect(JSON.stringify(running.host.kind('kafka').captures?.values())).toContain(
      '"headers":{"trace":"abc"}',
    );
  });

  for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) {
    itWithTool('kcat', `compresses with ${codec}, and mocks read it`, async () => {
      const running = await startHost({ mocks: [{ id: 'm', topic: 'z', value: { contains: 'line 7 ' } }] });
      const lines = Array.from({ length: 200 }, (_, n) => `line ${n} ${'abc'.repeat(n % 9)}`);
      await run(
        running,
        `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} | kcat -b $B -P -t z -z ${codec}`,
      );
      expect((await run(running, 'kcat -b $B -C -t z -e -q')).split('\n').slice(0, -1)).toEqual(lines);
      expect(running.host.kind('kafka').calls.of('m').count).toBe(1);
      const captured = running.host.kind('kafka').captures?.values() as readonly { value: string }[];
      expect(captured.map(({ value }) => value)).toEqual(lines);
    });
  }

  itWithTool('kcat', 'produces idempotently', async () => {
    const running = await startHost();
    await run(running, 'seq 1 500 | kcat -b $B -P -t in -X enable.idempotence=true');
    expect(await run(running, 'kcat -b $B -C -t in -e -q | wc -l')).toBe('500\n');
  });

  itWithTool('kcat', 'reads as a group and goes on from there', async () => {
    const running = await startHost();
    const group = 'kcat -b $B -G readers -q -X auto.offset.reset=earliest';
    await run(running, `printf 'a\\nb\\n' | kcat -b $B -P -t in`);
    expect(await run(running, `${group} -c 2 in`)).toBe('a\nb\n');
    await run(running, `printf 'c\\n' | kcat -b $B -P -t in`);
    expect(await run(running, `${group} -c 1 in`)).toBe('c\n');
  });

  itWithTool('kcat', 'logs in with PLAIN', async () => {
    const running = await startHost();
    const login =
      '-X security.protocol=sasl_plaintext -X sasl.mechanisms=PLAIN -X sasl.username=a -X sasl.password=b';
    expect(await run(running, `kcat -b $B -L ${login}`)).toContain('broker 1 at');
  });

  itWithTool('kcat', 'finds an offset by time', async () => {
    const running = await startHost({ mocks: [{ topic: 't', records: [{ value: 'a' }, { value: 'b' }] }] });
    expect(await run(running, 'kcat -b $B -Q -t t:0:1')).toContain('t [0] offset 0');
    expect(await run(running, 'kcat -b $B -Q -t t:0:9999999999999')).toMatch(/offset (-1|2)/);
  });
});

const PYTHON = `
import sys, kafka
from kafka.admin import KafkaAdminClient, NewTopic, ConfigResource, ConfigResourceType
address = sys.argv[1]
admin = KafkaAdminClient(bootstrap_servers=address)
admin.create_topics([NewTopic('made', 2, 1)])
producer = kafka.KafkaProducer(bootstrap_servers=address, compression_type='gzip', acks='all')
for n in range(3):
    producer.send('made', key=b'k%d' % n, value=b'v%d' % n, headers=[('h', b'1')], partition=0).get(10)
producer.close()
def read(group):
    consumer = kafka.KafkaConsumer('made', bootstrap_servers=address, group_id=group,
        auto_offset_reset='earliest', consumer_timeout_ms=700)
    values = [(message.key.decode(), message.value.decode(), message.headers) for message in consumer]
    consumer.close()
    return values
print(read('readers'))
print(read('readers'))
print(admin.list_consumer_groups())
print(admin.list_consumer_group_offsets('readers'))
print(admin.describe_consumer_groups(['readers'])[0].state)
print(len(admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, 'made')])[0].resources[0][4]) > 10)
admin.delete_topics(['made'])
print(admin.list_topics())
admin.close()
`;

describe('python3-kafka', () => {
  itWithTool(
    '/usr/bin/python3',
    'creates, produces, reads as a group, describes and deletes',
    async () => {
      const running = await startHost();
      const { code, out, err } = await runTool('/usr/bin/python3', ['-c', PYTHON, running.address]);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      const [first, second, groups, offsets, state, hasConfigs, topics] = out.trim().split('\n');
      expect(first).toBe(
        "[('k0', 'v0', [('h', b'1')]), ('k1', 'v1', [('h', b'1')]), ('k2', 'v2', [('h', b'1')])]",
      );
      expect(second).toBe('[]');
      expect(groups).toBe("[('readers', 'consumer')]");
      expect(offsets).toContain("TopicPartition(topic='made', partition=0): OffsetAndMetadata(offset=3");
      expect(state).toBe('Empty');
      expect(hasConfigs).toBe('True');
      expect(topics).toBe('[]');
    },
    20_000,
  );
});
