import type { Space } from '@backlot/core';
import { check, checkEqual, within } from '../check.js';
import { checkFree } from '../check-free.js';
import type { ConformanceCase } from '../conformance-case.js';
import { onStage, Stage, timeoutOf, type Subject } from '../stage.js';

/** Worlds of their own beside the main one, on ports of their own. */
export function spaceCases(subject: Subject): readonly ConformanceCase[] {
  const { protocol, probe } = subject;
  const { kind } = protocol;
  const { answers, mocks } = probe;
  const settings = { mocks: [{ ...mocks.simple, id: 'simple' }] };
  const enter = async ({ host, errors }: Stage, id: string): Promise<[Space, Stage]> => {
    const space = await host.spaces.create({ id, protocols: [kind] });
    return [space, new Stage(space.host, subject, errors)];
  };
  const on = (name: string, run: (stage: Stage) => Promise<void>): ConformanceCase => ({
    name,
    run: () => onStage(subject, run, settings),
  });
  return [
    on('have mocks, counts, a journal and messages of their own', async (stage) => {
      const [space, inside] = await enter(stage, 't1');
      const [, beside] = await enter(stage, 't2');
      const worlds = [stage, inside, beside];
      try {
        checkEqual('the ports', new Set(worlds.map(({ address }) => address.port)).size, worlds.length);
        inside.kind.mocks.replace('simple', mocks.changed);
        checkEqual('the answer in the space', await inside.ask('simple'), answers.changed);
        checkEqual('the answer in another space', await beside.ask('simple'), answers.simple);
        checkEqual('the answer in the main world', await stage.ask('simple'), answers.simple);
        // Each has got the same one message: what one has more, another has let out.
        const [main, ...others] = worlds.map((world) => countsOf(world));
        for (const [index, counts] of others.entries())
          checkEqual(`what is counted in space t${index + 1} and in the main world`, counts, main);
        checkEqual('calls in the main world', stage.kind.calls.of('simple').count, 1);
        await space.host.resetInSlices();
        checkEqual('the answer after the reset of the space', await inside.ask('simple'), answers.simple);
        checkEqual('calls in the main world after that', stage.kind.calls.of('simple').count, 1);
      } finally {
        await Promise.all([inside.leave(), beside.leave()]);
      }
    }),
    on('end alone, with their listeners and clients', async (stage) => {
      const [, inside] = await enter(stage, 't1');
      try {
        const client = await inside.connect();
        checkEqual('the answer in the space', await client.send('simple'), answers.simple);
        const { port } = inside.address;
        await within(timeoutOf(probe), 'the end of a space', stage.host.spaces.remove('t1'));
        await checkFree(subject, port);
        checkEqual('the connections of the space', inside.kind.connections.list(), []);
        checkEqual('the answer in the main world', await stage.ask('simple'), answers.simple);
        check(stage.host.spaces.size === 0, 'a space is left');
      } finally {
        await inside.leave();
      }
    }),
    ...(probe.namesSpaces === undefined
      ? []
      : [on('take clients that name them at the port of all', enterByName)]),
  ];
}

/** A client that names a space at the port of the main world is in that space, and nothing of it is seen elsewhere. */
async function enterByName(stage: Stage): Promise<void> {
  const { answers, mocks } = stage.probe;
  const { host } = await stage.host.spaces.create({ id: 't1' });
  await stage.host.spaces.create({ id: 't2' });
  const inside = host.kind(stage.kind.kind);
  inside.mocks.replace('simple', mocks.changed);
  const before = countsOf(stage);
  const client = await stage.connect('t1');
  checkEqual('the answer to a client that names the space', await client.send('simple'), answers.changed);
  checkEqual('the answer to the next message', await client.send('simple'), answers.changed);
  checkEqual('what is counted in the main world', countsOf(stage), before);
  checkEqual('calls in the space', inside.calls.of('simple').count, 2);
  const other = await stage.connect('t2');
  checkEqual('the answer to a client that names another space', await other.send('simple'), answers.simple);
  checkEqual('the answer to a client that names none', await stage.ask('simple'), answers.simple);
  checkEqual('calls in the space after those', inside.calls.of('simple').count, 2);
  checkEqual('the errors in the log', stage.errors, []);
}

/** What has been counted of the message `simple`. */
function countsOf({ host, kind, probe }: Stage): Readonly<Record<string, number | undefined>> {
  return {
    calls: kind.calls.of('simple').count,
    logged: host.journal.list().filter(({ method }) => method === probe.logged.method).length,
    captured: kind.captures?.values().length,
  };
}
