import tls from 'node:tls';
import { isBacklotError, messageOf } from '@backlot/core/plugin';
import { check, checkEqual, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { blockDatagramPort, blockStreamPort, connectRaw, type Blocker } from '../raw-client.js';
import { checkFree } from '../check-free.js';
import {
  hasConnections,
  hasDatagrams,
  makeHost,
  onStage,
  timeoutOf,
  type Stage,
  type Subject,
} from '../stage.js';

/** The grace that a stop is given, and what it may take on top of it, in milliseconds. */
const GRACE = 500;
const SLACK = 1_000;

/** Starting and stopping. */
export function lifecycleCases(subject: Subject): readonly ConformanceCase[] {
  const { protocol, probe } = subject;
  const timeout = timeoutOf(probe);
  const cases: ConformanceCase[] = [
    {
      name: 'takes a free port for 0, and answers there',
      run: () =>
        onStage(subject, async (stage) => {
          stage.add('simple');
          checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
          checkEqual('the state', stage.kind.status()['state'], 'running');
        }),
    },
    {
      name: 'lives beside a second host of the same kind',
      run: () =>
        onStage(subject, (first) =>
          onStage(subject, async (second) => {
            first.add('simple');
            second.add('changed');
            checkEqual('the answer of the first', await first.ask('simple'), probe.answers.simple);
            checkEqual('the answer of the second', await second.ask('simple'), probe.answers.changed);
          }),
        ),
    },
    {
      name: 'leaves nothing listening after a stop, and takes the same port again at once',
      async run() {
        let port = 0;
        await onStage(subject, async (stage) => {
          stage.add('simple');
          await stage.ask('simple');
          port = stage.address.port;
          await stage.host.stop(0);
          await stage.host.stop(0);
          await checkFree(subject, port);
        });
        await onStage(
          subject,
          async (stage) => {
            checkEqual('the port', stage.address.port, port);
            stage.add('simple');
            checkEqual('the answer', await stage.ask('simple'), probe.answers.simple);
          },
          { port },
        );
      },
    },
    {
      name: 'takes a second stop of its service without complaint',
      run: () =>
        onStage(subject, async ({ kind }) => {
          await within(timeout, 'the first stop', kind.service?.stop(0) ?? Promise.resolve());
          await within(timeout, 'the second stop', kind.service?.stop(0) ?? Promise.resolve());
        }),
    },
    {
      name: 'stops within the grace while clients are connected and an answer waits',
      run: () => onStage(subject, (stage) => stopBusy(subject, stage)),
    },
  ];
  if (hasConnections(subject))
    cases.push(portInUse(subject, 'a port that is taken for connections', blockStreamPort));
  if (hasDatagrams(subject))
    cases.push(portInUse(subject, 'a port that is taken for datagrams', blockDatagramPort));
  if (protocol.meta.tls !== undefined && protocol.meta.tls !== false) {
    cases.push({
      name: 'speaks TLS from the first byte when asked to',
      run: () =>
        onStage(
          subject,
          async ({ address }) => {
            const socket = tls.connect({ ...address, rejectUnauthorized: false });
            const secured = new Promise<void>((resolve, reject) =>
              socket.once('secureConnect', resolve).once('error', reject),
            );
            try {
              await within(timeout, 'the TLS handshake', secured);
            } finally {
              socket.destroy();
            }
          },
          { settings: { tls: protocol.meta.tls === 'starttls' ? { mode: 'implicit' } : {} } },
        ),
    });
  }
  return cases;
}

async function stopBusy(subject: Subject, stage: Stage): Promise<void> {
  stage.add('simple', { delay: '1h' });
  await stage.connect();
  const sockets = hasConnections(subject)
    ? [await connectRaw(stage.address, stage.timeout), await connectRaw(stage.address, stage.timeout)]
    : [];
  const { port } = stage.address;
  await stage.askLater();
  await stage.called('simple', 1);
  try {
    await within(GRACE + SLACK, 'the stop', stage.host.stop(GRACE));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await checkFree(subject, port);
}

function portInUse(subject: Subject, what: string, block: () => Promise<Blocker>): ConformanceCase {
  return {
    name: `refuses ${what}, and leaves nothing listening`,
    async run() {
      const blocker = await block();
      try {
        const host = await makeHost(subject, { port: blocker.port });
        const failure = await host.start().then(
          () => 'it started',
          (thrown: unknown) => thrown,
        );
        await host.stop(0);
        const code = isBacklotError(failure) ? failure.code : undefined;
        const message = messageOf(failure);
        check(
          code === 'port_in_use' && message.includes(String(blocker.port)),
          `the start must fail with the code port_in_use and name the port ${blocker.port}, got "${message}" with ${code ?? 'no code'}`,
        );
      } finally {
        await blocker.release();
      }
      await checkFree(subject, blocker.port);
    },
  };
}
