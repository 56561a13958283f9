import { BacklotError } from '@backlot/core';
import { check, checkEqual, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { hasConnections, makeHost, onStage, timeoutOf, type Subject } from '../stage.js';

/** What comes to a kind with an upstream is answered there; a service that never asks for its upstream has none. */
export function upstreamCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  const scheme = hasConnections(subject) ? 'tcp://' : 'udp://';
  const passes: ConformanceCase = {
    name: 'passes on what comes, and what is answered',
    run: () =>
      onStage(subject, async (far) => {
        far.add('simple');
        far.add('other');
        const settings = {
          upstream: { url: `${scheme}127.0.0.1:${far.address.port}`, mode: 'passthrough' },
        };
        const host = await makeHost(subject, { settings });
        let refusal: unknown;
        await host.start().catch((thrown: unknown) => {
          refusal = thrown;
        });
        await within(timeoutOf(probe), 'stopping', host.stop(0));
        if (refusal !== undefined) {
          check(
            refusal instanceof BacklotError && refusal.message.includes('has no upstream'),
            `the start with an upstream failed: ${refusal instanceof Error ? refusal.message : 'for an unknown reason'}`,
          );
          return;
        }
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
          { settings },
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
      const settings = { upstream: { url: `${scheme}127.0.0.1:${port}`, mode: 'passthrough' } };
      const host = await makeHost(subject, { settings });
      await host.start().catch(() => undefined);
      const { address } = host.kind(kind);
      await within(timeoutOf(probe), 'stopping', host.stop(0));
      if (address === undefined) return;
      await onStage(
        subject,
        async (near) => {
          const answer = await near.ask('simple').catch(() => 'closed');
          check(answer !== probe.answers.simple, 'a client was answered although the upstream is not there');
          checkEqual('the errors in the log', near.errors, []);
        },
        { settings },
      );
    },
  };
  return hasConnections(subject) ? [passes, gone] : [passes];
}
