import { randomUUID } from 'node:crypto';
import { abandon, type ListenAddress, type ProbeClient } from '@backlot/conformance';
import {
  Connection,
  fetchV13,
  listOffsetsV7,
  metadataV12,
  produceV11,
  ResponseError,
  saslAuthenticateV2,
  saslHandshakeV1,
} from '@platformatic/kafka';

const LATEST = -1n;
const NOBODY = -1;
const MEGABYTE = 1024 * 1024;

/** A connection of \@platformatic/kafka: produces to `inbox` and reads what a mock has produced to `answers` by then. */
export async function connectProbe({ host, port }: ListenAddress, space = 'probe'): Promise<ProbeClient> {
  const connection = new Connection(space);
  connection.on('error', () => undefined);
  await connection.connect(host, port);
  return {
    async send(message) {
      // Each time: after a reset the topics are not there any more.
      const { topics } = await metadataV12.api.async(connection, ['inbox', 'answers'], true);
      const topicId = topics.find(({ name }) => name === 'answers')?.topicId ?? '';
      const before = await endOf(connection);
      const key = randomUUID();
      try {
        const record = { topic: 'inbox', partition: 0, key: Buffer.from(key), value: Buffer.from(message) };
        await produceV11.api.async(connection, 1, 0, [record]);
      } catch (error) {
        return errorOf(error);
      }
      return (await read(connection, topicId, before, key)) ?? 'stored';
    },
    close: () => abandon(connection.socket),
  };
}

/** Produces one record that is longer than a contract looks at. */
export async function sendLong({ host, port }: ListenAddress): Promise<void> {
  const connection = new Connection('long');
  connection.on('error', () => undefined);
  await connection.connect(host, port);
  await metadataV12.api.async(connection, ['inbox'], true);
  const record = { topic: 'inbox', partition: 0, value: Buffer.alloc(300_000, 'x') };
  await produceV11.api.async(connection, 1, 0, [record]);
  abandon(connection.socket);
}

function errorOf(error: unknown): string {
  if (!(error instanceof ResponseError)) return 'closed';
  // What is wrong with single records comes before what the partition answers.
  return String((error.errors.at(-1) as { apiId?: string } | undefined)?.apiId);
}

/** Logs in by PLAIN. */
export async function attemptLogin({ host, port }: ListenAddress): Promise<string> {
  const connection = new Connection('login');
  connection.on('error', () => undefined);
  await connection.connect(host, port);
  try {
    await saslHandshakeV1.api.async(connection, 'PLAIN');
    await saslAuthenticateV2.api.async(connection, Buffer.from('\0ann\0secret'));
    return 'accepted';
  } catch (error) {
    return errorOf(error);
  } finally {
    abandon(connection.socket);
  }
}

async function endOf(connection: Connection): Promise<bigint> {
  const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: LATEST }];
  const { topics } = await listOffsetsV7.api.async(connection, NOBODY, 0, [{ name: 'answers', partitions }]);
  return topics[0]?.partitions[0]?.offset ?? -1n;
}

/** The value of the answer with this key. */
async function read(
  connection: Connection,
  topicId: string,
  fetchOffset: bigint,
  key: string,
): Promise<string | undefined> {
  const partition = {
    partition: 0,
    currentLeaderEpoch: -1,
    fetchOffset,
    lastFetchedEpoch: -1,
    partitionMaxBytes: MEGABYTE,
  };
  const asked = [{ topicId, partitions: [partition] }];
  const { responses } = await fetchV13.api.async(connection, 0, 1, MEGABYTE, 0, 0, -1, asked, [], '');
  const records = responses[0]?.partitions[0]?.records?.flatMap((batch) => batch.records) ?? [];
  return records.find((record) => record.key?.toString('utf8') === key)?.value?.toString('utf8');
}
