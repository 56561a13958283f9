import type { Json } from '@backlot/core';
import { check, checkEqual, checkRefused } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Core fields with values that no kind may take. */
const BAD_FIELDS: readonly Json[] = [
  { no_such_field: 1 },
  JSON.parse('{"__proto__": {"a": 1}}') as Json,
  { id: 5 },
  { id: '' },
  { priority: 1.5 },
  { delay: '5 parsecs' },
  { delay: '-1s' },
  { times: 0 },
  { expires: 'never' },
  { state: {} },
  { state: 'on' },
  { state: null },
  { state: [null] },
  { set_state: { key: [1] } },
  { set_state: { key: '{{#open}}' } },
];

/** Mocks that come, change and go. */
export function mockCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { answers, mocks } = probe;
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run),
  });
  const cases = [
    on('take effect on a connection that is open already', async (stage) => {
      const client = await stage.connect();
      stage.add('simple');
      checkEqual('after the creation', await client.send('simple'), answers.simple);
      stage.kind.mocks.replace('simple', mocks.changed);
      checkEqual('after the replacement', await client.send('simple'), answers.changed);
      stage.add('other');
      checkEqual('a second one', await client.send('other'), answers.other);
      stage.kind.mocks.remove('simple');
      checkEqual('after the deletion', await client.send('simple'), answers.unmatched);
      checkEqual('the one that is left', await stage.ask('other'), answers.other);
    }),
    {
      name: 'of the configuration are there from the start',
      run: () =>
        onStage(
          subject,
          async (stage) => checkEqual('the answer', await stage.ask('simple'), answers.simple),
          {
            mocks: [{ ...mocks.simple, id: 'simple' }],
          },
        ),
    },
    on('that do not match leave the message unanswered or refused', async (stage) => {
      checkEqual('without a mock', await stage.ask('unmatched'), answers.unmatched);
      stage.add('simple');
      stage.add('other');
      checkEqual('with mocks', await stage.ask('unmatched'), answers.unmatched);
    }),
    on('are asked in the order of priority, then of creation', async (stage) => {
      stage.add('simple');
      stage.add('changed');
      checkEqual('the first', await askWho(stage), 'simple');
      stage.kind.mocks.replace('changed', { ...mocks.changed, priority: 1 });
      checkEqual('the first, when the second has a higher priority', await askWho(stage), 'changed');
    }),
    on('honour a state condition', async (stage) => {
      stage.add('simple', { state: { key: 'conformance', value: 'on' } });
      checkEqual('while it does not hold', await stage.ask('simple'), answers.unmatched);
      stage.host.state.setAll({ conformance: 'on' });
      checkEqual('while it holds', await stage.ask('simple'), answers.simple);
    }),
    on('set state', async (stage) => {
      stage.add('simple', { set_state: { conformance: 'done' } });
      await stage.ask('simple');
      checkEqual('the state', stage.host.state.all()['conformance'], 'done');
    }),
    on('answer as many times as they may', async (stage) => {
      stage.add('simple', { times: 2 });
      checkEqual('the first time', await stage.ask('simple'), answers.simple);
      checkEqual('the second time', await stage.ask('simple'), answers.simple);
      checkEqual('the third time', await stage.ask('simple'), answers.unmatched);
    }),
    on('are patched and disabled by scenarios', async (stage) => {
      stage.add('simple');
      const client = await stage.connect();
      stage.host.scenarios.create({ id: 'patched', patches: [{ mock_id: 'simple', merge: mocks.changed }] });
      stage.host.scenarios.create({ id: 'off', patches: [{ mock_id: 'simple', disabled: true }] });
      stage.host.scenarios.activate('patched');
      checkEqual('while it is patched', await client.send('simple'), answers.changed);
      stage.host.scenarios.deactivate('patched');
      checkEqual('afterwards', await client.send('simple'), answers.simple);
      stage.host.scenarios.activate('off');
      checkEqual('while it is disabled', await client.send('simple'), answers.unmatched);
    }),
    on('that are bad are refused, and change nothing', async (stage) => {
      stage.add('simple');
      const before = stage.kind.mocks.list();
      const bad = [...BAD_FIELDS.map((fields) => ({ ...mocks.other, ...fields })), ...(mocks.bad ?? [])];
      for (const mock of bad) {
        const what = JSON.stringify(mock);
        await checkRefused(`creating ${what}`, 'invalid', () => stage.kind.mocks.create(mock));
        if (!Object.hasOwn(mock, 'id')) {
          await checkRefused(`replacing by ${what}`, 'invalid', () =>
            stage.kind.mocks.replace('simple', mock),
          );
        }
        await checkRefused(`a list with ${what}`, 'invalid', () =>
          stage.kind.mocks.createAll([mocks.other, mock]),
        );
      }
      await checkRefused('an id that is taken', 'conflict', () =>
        stage.kind.mocks.create({ ...mocks.other, id: 'simple' }),
      );
      await checkRefused('replacing an unknown id', 'not_found', () =>
        stage.kind.mocks.replace('nobody', mocks.other),
      );
      checkEqual('the mocks', stage.kind.mocks.list(), before);
      checkEqual('the answer', await stage.ask('simple'), answers.simple);
    }),
  ];
  const { template } = mocks;
  if (template !== undefined) {
    cases.push(
      on('render templates', async (stage) => {
        check(answers.template !== undefined, 'a probe with mocks.template must have answers.template');
        stage.add('template');
        checkEqual('the answer', await stage.ask('simple'), answers.template);
      }),
    );
  }
  return cases;

  /** Which mock answered, or answered first where all do. */
  async function askWho(stage: Stage): Promise<string> {
    const answer = await stage.ask('simple');
    if (protocol.mocks.mode === 'all') {
      const calls = [...stage.kind.calls.of('simple').calls, ...stage.kind.calls.of('changed').calls];
      return String(calls.at(-1)?.['matched_id']);
    }
    if (answer === answers.simple) return 'simple';
    return answer === answers.changed ? 'changed' : answer;
  }
}
