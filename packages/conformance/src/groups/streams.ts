import { check, checkEqual, checkRefused, eventually } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import type { ProbeStream, StreamReader } from '../probe.js';
import { onStage, type Stage, type Subject } from '../stage.js';

const MOCK = 'stream';

/** Streaming answers that stay open. */
export function streamCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  if (protocol.streams === undefined) return [];
  const on = (name: string, run: (stage: Stage, stream: ProbeStream) => Promise<void>): ConformanceCase => ({
    name,
    run: () =>
      onStage(subject, async (stage) => {
        const { stream } = probe;
        check(stream !== undefined, 'the protocol declares streams, so its probe must have `stream`');
        stage.kind.mocks.create({ ...stream.mock, id: MOCK });
        await run(stage, stream);
      }),
  });
  return [
    on('are listed, pushed to and closed', async (stage, stream) => {
      const first = await open(stage, 1);
      const second = await open(stage, 2);
      const { streams } = stage.host;
      const [listed] = streams.list();
      checkEqual('mock_id', listed?.mock_id, MOCK);
      checkEqual('protocol', listed?.protocol, kind);
      checkEqual('delivered to the mock', streams.push({ protocol: kind, mock_id: MOCK }, stream.data), 2);
      for (const reader of [first, second]) checkEqual('what was pushed', await reader.next(), stream.pushed);
      checkEqual(
        'delivered to one',
        streams.push({ protocol: kind, conn_id: listed?.id ?? '' }, stream.data),
        1,
      );
      checkEqual('what was pushed to one', await first.next(), stream.pushed);
      checkEqual('closed', streams.close({ protocol: kind, conn_id: listed?.id ?? '' }, undefined), 1);
      checkEqual('the end', await first.next(), stream.ended);
      checkEqual('how many are left', streams.list().length, 1);
      checkEqual(
        'delivered to what is left',
        streams.push({ protocol: kind, mock_id: MOCK }, stream.data),
        1,
      );
      checkEqual('what was pushed to what is left', await second.next(), stream.pushed);
    }),
    on('are closed with an error', async (stage, stream) => {
      const reader = await open(stage, 1);
      checkEqual('closed', stage.host.streams.close({ protocol: kind, mock_id: MOCK }, 'boom'), 1);
      checkEqual('the end', await reader.next(), stream.failed);
      checkEqual('how many are left', stage.host.streams.list().length, 0);
    }),
    on('outlive their mock', async (stage, stream) => {
      const reader = await open(stage, 1);
      stage.kind.mocks.remove(MOCK);
      stage.host.streams.push({ protocol: kind, mock_id: MOCK }, stream.data);
      checkEqual('what was pushed', await reader.next(), stream.pushed);
    }),
    on('disappear when the client leaves', async (stage) => {
      const reader = await open(stage, 1);
      await reader.close();
      await eventually(stage.timeout, 'no stream is listed', () => stage.host.streams.list().length === 0);
    }),
    protocol.streams.areConnections === true
      ? on('stay open with a reset', async (stage, stream) => {
          const reader = await open(stage, 1);
          stage.host.reset();
          stage.host.streams.push({ protocol: kind, mock_id: MOCK }, stream.data);
          checkEqual('what was pushed', await reader.next(), stream.pushed);
        })
      : on('end normally with a reset', async (stage, stream) => {
          const reader = await open(stage, 1);
          stage.host.reset();
          checkEqual('the end', await reader.next(), stream.ended);
          checkEqual('how many are left', stage.host.streams.list().length, 0);
        }),
    on('refuse what is sent to nobody', async (stage, stream) => {
      const { streams } = stage.host;
      await checkRefused('no such stream', 'not_found', () =>
        streams.push({ protocol: kind, conn_id: 'nobody' }, stream.data),
      );
      await checkRefused('no open stream of the mock', 'not_found', () =>
        streams.close({ protocol: kind, mock_id: MOCK }, undefined),
      );
      await checkRefused('no target', 'invalid', () => streams.push({ protocol: kind }, stream.data));
    }),
  ];

  async function open(stage: Stage, count: number): Promise<StreamReader> {
    const reader = await stage.openStream();
    await eventually(
      stage.timeout,
      `${count} open streams are listed`,
      () => stage.host.streams.list().length === count,
    );
    return reader;
  }
}
