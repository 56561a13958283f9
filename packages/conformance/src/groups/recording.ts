import type { Json } from '@backlot/core';
import { RECORDED_ID } from '@backlot/core/plugin';
import { check, checkEqual } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { hasConnections, onStage, type Stage, type Subject } from '../stage.js';

/** What the upstream of a kind that reads its answers has said is told apart from what mocks say, and becomes mocks. */
export function recordingCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const modes = protocol.recording?.modes ?? [];
  const scheme = hasConnections(subject) ? 'tcp://' : 'udp://';
  const { simple, changed, other } = probe.answers;

  /** Two hosts, of which the first is the upstream of the second. */
  const onStages = (
    mode: string,
    run: (near: Stage, far: Stage) => Promise<void>,
    more: Json = {},
  ): Promise<void> =>
    onStage(subject, async (far) => {
      const url = `${scheme}127.0.0.1:${far.address.port}`;
      await onStage(subject, (near) => run(near, far), { settings: { ...more, upstream: { url, mode } } });
    });
  const recorded = ({ kind }: Stage): Json[] =>
    kind.mocks.list().filter(({ id }) => String(id).startsWith(RECORDED_ID));
  const entriesOf = ({ host }: Stage) => host.journal.list({ protocol: protocol.kind });
  const replay = (mocks: readonly Json[], run: (stage: Stage) => Promise<void>): Promise<void> =>
    onStage(subject, run, { mocks: structuredClone(mocks), settings: { upstream: { mode: 'replay' } } });

  const cases: Readonly<Record<string, readonly ConformanceCase[]>> = {
    passthrough: [
      {
        name: 'has in its journal what the upstream alone answers',
        run: () =>
          onStages('passthrough', async (near, far) => {
            far.add('simple');
            near.add('changed');
            checkEqual('the answer', await near.ask('simple'), simple);
            const entries = entriesOf(near).filter(({ upstream }) => upstream?.answered === true);
            check(entries.length > 0, 'no entry of the journal says that the upstream has answered');
            checkEqual('the calls of its mocks', near.kind.calls.of('changed').count, 0);
          }),
      },
    ],
    spy: [
      {
        name: 'asks the upstream for what no mock matches',
        run: () =>
          onStages('spy', async (near, far) => {
            near.add('simple');
            far.add('changed');
            far.add('other');
            checkEqual('the answer of a mock', await near.ask('simple'), simple);
            checkEqual('the answer of the upstream', await near.ask('other'), other);
            checkEqual(
              'the calls of the upstream for what a mock has',
              far.kind.calls.of('changed').count,
              0,
            );
            checkEqual('what was recorded', recorded(near), []);
            checkEqual(
              'the misses',
              near.host.journal.count({ protocol: protocol.kind, unmatched: true }).count,
              0,
            );
          }),
      },
    ],
    record_new: [
      {
        name: 'makes mocks of what the upstream answers, which answer without it',
        run: async () => {
          let mocks: readonly Json[] = [];
          await onStages('record_new', async (near, far) => {
            far.add('simple');
            far.add('other');
            checkEqual('the answer', await near.ask('simple'), simple);
            checkEqual('another one', await near.ask('other'), other);
            mocks = recorded(near);
            const ids = entriesOf(near).flatMap(({ upstream }) => upstream?.recorded_id ?? []);
            check(
              mocks.length > 0 &&
                ids.length > 0 &&
                ids.every((id) => mocks.some((mock) => mock['id'] === id)),
              `the recordings that entries name must be there: got ${ids.join(', ')}`,
            );
          });
          await replay(mocks, async (stage) => {
            checkEqual('the replayed answer', await stage.ask('simple'), simple);
            checkEqual('another one', await stage.ask('other'), other);
            const { journal } = stage.host;
            const misses = (): number => journal.count({ protocol: protocol.kind, unmatched: true }).count;
            checkEqual('the misses of what was recorded', misses(), 0);
            await stage.ask('unmatched');
            check(
              misses() > 0,
              'a message that was not recorded must be a miss while recordings are replayed',
            );
          });
        },
      },
      {
        name: 'has answers that differ in the order of the recording',
        run: async () => {
          let mocks: readonly Json[] = [];
          await onStages('record_new', async (near, far) => {
            far.add('simple');
            for (const want of [simple, simple]) checkEqual('the answer', await near.ask('simple'), want);
            far.kind.mocks.replace('simple', probe.mocks.changed);
            checkEqual('the changed answer', await near.ask('simple'), changed);
            mocks = recorded(near);
          });
          await replay(mocks, async (stage) => {
            for (const want of [simple, simple, changed, changed])
              checkEqual('the replayed answer', await stage.ask('simple'), want);
          });
        },
      },
      {
        name: 'records once a reload has given it that mode',
        run: () =>
          onStages('passthrough', async (near, far) => {
            far.add('simple');
            const upstream = { url: `${scheme}127.0.0.1:${far.address.port}`, mode: 'record_new' };
            const { host, port } = near.address;
            await near.host.reconfigure({
              protocols: [protocol],
              settings: { [protocol.kind]: { ...probe.settings, host, port, upstream } },
              seed: 1,
            });
            checkEqual('the answer', await near.ask('simple'), simple);
            check(recorded(near).length > 0, 'nothing is recorded in the mode that a reload has given');
          }),
      },
      {
        name: 'forgets what was recorded with a reset, and records it again',
        run: () =>
          onStages('record_new', async (near, far) => {
            far.add('simple');
            await near.ask('simple');
            const first = recorded(near);
            near.host.reset();
            checkEqual('what is recorded after a reset', recorded(near), []);
            checkEqual('the answer', await near.ask('simple'), simple);
            checkEqual('what is recorded then', recorded(near), first);
          }),
      },
    ],
    record_all: [
      {
        name: 'asks the upstream alone, and replaces what was recorded before',
        run: async () => {
          let mocks: readonly Json[] = [];
          await onStages('record_new', async (near, far) => {
            far.add('simple');
            await near.ask('simple');
            mocks = recorded(near);
          });
          await onStages(
            'record_all',
            async (near, far) => {
              far.add('changed');
              checkEqual('the answer', await near.ask('simple'), changed);
              checkEqual(
                'the ids of recordings',
                recorded(near).map(({ id }) => id),
                mocks.map(({ id }) => id),
              );
              mocks = recorded(near);
            },
            { [protocol.mocks.configKey]: structuredClone(mocks) },
          );
          await replay(mocks, async (stage) =>
            checkEqual('the replayed answer', await stage.ask('simple'), changed),
          );
        },
      },
    ],
    diff: [
      {
        name: 'answers with mocks, and says where the upstream differs',
        run: () =>
          onStages('diff', async (near, far) => {
            near.add('changed');
            near.add('other');
            far.add('simple');
            far.add('other');
            checkEqual('the answer of the mock', await near.ask('simple'), changed);
            checkEqual('the answer of another mock', await near.ask('other'), other);
            checkEqual('the calls of the upstream', far.kind.calls.of('simple').count, 1);
            const noted = entriesOf(near).flatMap(({ upstream }) =>
              upstream?.differences === undefined ? [] : [upstream.differences.length > 0],
            );
            checkEqual('which answers differ', noted, [true, false]);
          }),
      },
    ],
  };
  return modes.flatMap((mode) => cases[mode] ?? []);
}
