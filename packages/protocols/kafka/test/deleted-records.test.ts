import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import {
  afterThis,
  connectKafkaJs,
  startConsumer,
  startHost,
  startProducer,
  type Running,
} from './support.js';

const RECORDS = ['a', 'b', 'c', 'd', 'e'].map((value) => ({ value }));

/** A topic `log` with five records, of which the first three were deleted by the admin of kafkajs. */
async function start(): Promise<{
  running: Running;
  remove: (offset: string, partition?: number) => Promise<void>;
}> {
  const running = await startHost({ mocks: [{ topic: 'log', records: RECORDS }] });
  const admin = connectKafkaJs(running, { retry: { retries: 0 } }).admin();
  await admin.connect();
  afterThis(() => admin.disconnect());
  // kafkajs deletes only where it has asked for something else of the topic.
  await admin.fetchTopicOffsets('log');
  const remove = (offset: string, partition = 0): Promise<void> =>
    admin.deleteTopicRecords({ topic: 'log', partitions: [{ partition, offset }] });
  await remove('3');
  return { running, remove };
}

/** Asks often: a consumer ends once its last request is answered. */
const BRIEF = { maxWaitTimeInMs: 100 };

const shown = ({ offset, value }: { offset: string; value: Buffer | null }): string =>
  `${offset} ${String(value)}`;

describe('records that were deleted', () => {
  it('are not read by kafkajs, whose consumers begin at the first that is left', async () => {
    const { running } = await start();
    const client = connectKafkaJs(running);
    const admin = client.admin();
    await admin.connect();
    expect(await admin.fetchTopicOffsets('log')).toMatchObject([{ low: '3', high: '5', offset: '5' }]);
    // A place that is not there any more is out of range, and is taken up at the start.
    const { consumer, messages: first } = await startConsumer(client, 'behind', ['log'], BRIEF);
    await eventually(() => first.length === 2);
    await consumer.commitOffsets([{ topic: 'log', partition: 0, offset: '1' }]);
    await consumer.disconnect();
    expect(await admin.fetchOffsets({ groupId: 'behind', topics: ['log'] })).toMatchObject([
      { partitions: [{ partition: 0, offset: '1' }] },
    ]);
    for (const group of ['new', 'behind']) {
      const { messages } = await startConsumer(client, group, ['log'], BRIEF);
      await eventually(() => messages.length === 2);
      expect(messages.map(shown)).toEqual(['3 d', '4 e']);
    }
    await admin.disconnect();
    const producer = await startProducer(client);
    expect((await producer.send({ topic: 'log', messages: [{ value: 'f' }] }))[0]?.baseOffset).toBe('5');
  });

  it('may be all, and none below the first that is left or beyond the last', async () => {
    const { running, remove } = await start();
    const admin = connectKafkaJs(running, { retry: { retries: 0 } }).admin();
    await admin.connect();
    const low = async (): Promise<unknown> => (await admin.fetchTopicOffsets('log'))[0]?.low;
    await remove('1');
    expect(await low()).toBe('3');
    await expect(remove('6')).rejects.toThrow('Error while deleting records');
    await expect(remove('1', 7)).rejects.toThrow();
    expect(await low()).toBe('3');
    await remove('-1');
    expect(await admin.fetchTopicOffsets('log')).toMatchObject([{ low: '5', high: '5' }]);
    await admin.disconnect();
  });

  itWithTool('kcat', 'are out of range for librdkafka', async () => {
    const { running } = await start();
    const read = async (...args: readonly string[]): Promise<string> => {
      const { out, err } = await runTool('kcat', [
        '-b',
        running.address,
        '-C',
        '-t',
        'log',
        '-p',
        '0',
        '-e',
        '-q',
        '-f',
        '%o %s\n',
        ...args,
      ]);
      return out + err;
    };
    expect(await read('-o', 'beginning')).toBe('3 d\n4 e\n');
    expect(await read('-o', '4')).toBe('4 e\n');
    expect(await read('-o', '1', '-X', 'auto.offset.reset=earliest')).toBe('3 d\n4 e\n');
    expect(await read('-o', '1', '-X', 'auto.offset.reset=error')).toMatch(/out of range/i);
    const { out } = await runTool('kcat', ['-b', running.address, '-Q', '-t', 'log:0:-2', '-t', 'log:0:-1']);
    expect(out).toMatch(/offset [35]\n/);
  });
});
