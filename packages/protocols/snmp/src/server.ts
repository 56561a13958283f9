import type { Context, Json, Service } from '@backlot/core/plugin';
import { createService } from '@backlot/kit';
import { Agent } from './agent.js';
import { SetValues } from './set-values.js';
import type { SnmpShape } from './shape.js';
import type { Relay } from './upstream/relay.js';
import { TrapSender } from './trap/trap-sender.js';
import { makeUsers, parseEngineId } from './users.js';
import { MessageProcessor } from './wire/message-processor.js';
import { SnmpEngine } from './wire/engine.js';
import type { NetSnmp } from './wire/net-snmp.js';

/** An agent: answers requests, and sends traps when it is told to. */
export interface SnmpService extends Service {
  readonly traps: TrapSender;
}

/**
 * Makes an agent.
 *
 * @param relay - asks the upstream, where there is one
 */
export function createSnmpService(context: Context<SnmpShape>, snmp: NetSnmp, relay?: Relay): SnmpService {
  const { community = 'public', v3_users: given, engine_id: engineId } = context.config;
  const users = makeUsers(given);
  const engine = new SnmpEngine(parseEngineId(engineId), context.clock.now());
  const values = new SetValues();
  context.addToSnapshots('values', values);
  context.mocks.onChange((change) => values.mocksChanged(change));
  const agent = new Agent(
    context,
    new MessageProcessor(snmp, engine, {
      ...{ community, users },
      areWrong: () => context.faults.current?.wrong_credentials === true,
    }),
    values,
    relay,
  );
  const traps = new TrapSender(context, snmp, engine, { community, users });
  const service = createService(context, {
    datagram: { onMessage: (octets, remote, reply) => agent.receive(octets, remote, reply) },
    onStopped: () => {
      agent.stop();
      traps.stop();
      relay?.stop();
    },
    ...(relay && { reset: () => relay.reset() }),
  });
  return Object.assign(service, {
    traps,
    async emit({ trap }: Json) {
      await traps.send(String(trap));
      return { status: 'sent', sent: trap };
    },
  });
}
