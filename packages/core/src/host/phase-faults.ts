import type { Faults } from '../contract/context.js';
import { countHit } from '../pipeline/roll-fault.js';
import type { CompiledFault } from '../pipeline/runtime.js';
import { hashText, roll } from '../random/random.js';
import { rollDelay } from '../time/delay.js';
import type { Until } from './following.js';
import type { KindHost } from './kind-host.js';

/** What a fault does to something that is no message. */
interface Rolled {
  readonly fault: CompiledFault;
  readonly delay: number;
  readonly refuse: boolean;
}

/** Makes what rolls the fault of a kind in the phases that are not about messages, and what tells of its changes. */
export function phaseFaults(host: KindHost, until: Until): Faults {
  const rollConnection = rollerOf(host, 'connect');
  const rollLogin = rollerOf(host, 'login');
  return {
    rollForConnection: () => {
      const rolled = rollConnection();
      return rolled && { delay: rolled.delay, refuse: rolled.refuse };
    },
    rollForLogin: () => {
      const rolled = rollLogin();
      return rolled && { delay: rolled.delay, refuse: rolled.refuse, fields: rolled.fault.given };
    },
    get current() {
      const { compiledFault: fault } = host;
      return fault?.phase === 'message' ? fault.given : undefined;
    },
    get tls() {
      return host.compiledFault?.tls;
    },
    isNamed: (message) => {
      const { compiledFault: fault } = host;
      return fault?.phase === 'message' && fault.match?.(message) === true;
    },
    onChange: (callback) =>
      until(
        host.services.faults.onChange(host.kind, () => {
          try {
            callback();
          } catch (thrown) {
            host.log.error('a change of the fault could not be followed', thrown);
          }
        }),
      ),
  };
}

/** The same host of the same seed rolls the same for the n-th connection, and for the n-th login. */
function rollerOf(host: KindHost, phase: 'connect' | 'login'): () => Rolled | undefined {
  const hash = hashText(`${host.kind}/${phase}`);
  let number = 0;
  return () => {
    const { compiledFault: fault } = host;
    if (fault?.phase !== phase) return undefined;
    if (fault.counts?.admit() === false) return undefined;
    number += 1;
    const { seed } = host.services;
    const delay = rollDelay(fault.delay, seed, ~hash, number);
    const refuse = roll(seed, hash, number) < fault.errorRate;
    countHit(fault, refuse);
    return { fault, delay, refuse };
  };
}
