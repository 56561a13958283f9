import { BacklotError, type Json } from '@backlot/core';
import { messageOf } from '@backlot/core/plugin';
import { check, checkEqual, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { hasConnections, makeHost, onStage, timeoutOf, type Subject } from '../stage.js';

/** What comes to a kind with an upstream is answered there; one whose probe says that it has none refuses it, and no other does. */
export function upstreamCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  const scheme = hasConnections(subject) ? 'tcp://' : 'udp://';
  const leadTo = (port: number): Json => ({
    upstream: { url: `${scheme}127.0.0.1:${port}`, mode: 'passthrough' },
  });
  const refuses: ConformanceCase = {
    name: 'refuses a start with an upstream',
    run: async () => {
      const host = await makeHost(subject, { settings: leadTo(9) });
      const refusal: unknown = await host.start().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      await within(timeoutOf(probe), 'stopping', host.stop(0));
      check(
        refusal instanceof BacklotError && refusal.message.includes('has no upstream'),
        `the probe says that the kind has no upstream, and its start with one ${refusal === undefined ? 'was not refused' : `failed otherwise: ${messageOf(refusal)}`}`,
      );
    },
  };
  const passes: ConformanceCase = {
    name: 'passes on what comes, and what is answered',
    run: () =>
      onStage(subject, async (far) => {
        far.add('simple');
        far.add('other');
        await onStage(
          subject,
          async (near) => {
            checkEqual('the answer of the upstream', await near.ask('simple'), probe.answers.simple);
            checkEqual('another one', await near.ask('other'), probe.answers.other);
            checkEqual(
              'what the upstream has no mock for',
              await near.ask('unmatched'),
              probe.answers.unmatched,
            );
            checkEqual('the calls of the upstream', far.host.kind(kind).calls.of('other').count, 1);
            checkEqual('the errors in the log', near.errors, []);
          },
          { settings: leadTo(far.address.port) },
        );
      }),
  };
  const gone: ConformanceCase = {
    name: 'resets a client whose upstream is not there',
    run: async () => {
      let port = 0;
      await onStage(subject, (stage) => {
        ({ port } = stage.address);
        return Promise.resolve();
      });
      await onStage(
        subject,
        async (near) => {
          const answer = await near.ask('simple').catch(() => 'closed');
          // A closed connection may be the answer to what no mock matches; then nothing is in the log.
          const isOwn =
            answer === probe.answers.unmatched && near.host.journal.count({ protocol: kind }).count > 0;
          check(
            answer !== probe.answers.simple && !isOwn,
            'a client was answered although the upstream is not there',
          );
          checkEqual('the errors in the log', near.errors, []);
        },
        { settings: leadTo(port) },
      );
    },
  };
  const ofMocks: ConformanceCase = {
    name: 'takes an upstream of a single mock, or says that its mocks have none and what to give in its place',
    run: () =>
      onStage(subject, ({ kind: { mocks } }) => {
        const mock = { ...probe.mocks.simple, upstream: { url: 'http://127.0.0.1:9' } };
        let refusal: unknown;
        try {
          mocks.create(mock);
        } catch (thrown) {
          refusal = thrown;
        }
        if (Object.hasOwn(protocol.mocks.schema.properties, 'upstream'))
          check(
            refusal === undefined || !messageOf(refusal).includes('have no upstream of their own'),
            'a mock with an upstream was refused as if the kind had none',
          );
        else
          check(
            refusal instanceof BacklotError &&
              refusal.message.includes(`mocks of ${kind} have no upstream of their own`),
            `a mock with an upstream ${refusal === undefined ? 'was taken' : `was refused otherwise: ${messageOf(refusal)}`}`,
          );
        return Promise.resolve();
      }),
  };
  if (probe.hasNoUpstream === true) return [refuses, ofMocks];
  return hasConnections(subject) ? [passes, gone, ofMocks] : [passes, ofMocks];
}
