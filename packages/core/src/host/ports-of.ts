import type { Protocol } from '../contract/protocol.js';
import type { AskedPort, ServicePorts, SharedPorts } from '../contract/shared-ports.js';
import type { KindHost } from './kind-host.js';

/** Whether clients store something in a kind, or are told what others have sent, so that all of them must come to one place. */
export function keepsData({ data, publish }: Protocol): boolean {
  return data !== undefined || publish !== undefined;
}

/** What listens for the service of a kind, or for a further listener of it, where several processes have the same ports. */
export function portsOf(kind: KindHost, ports: SharedPorts, listener?: string): ServicePorts {
  const { space } = kind.services;
  const own = listener === undefined ? kind.kind : `${kind.kind}+${listener}`;
  const name = space === undefined ? own : `${own} of ${space}`;
  const asked = (address: string, port: number, isPerClient: boolean): AskedPort => ({
    ...{ name, address, port },
    share: kind.hasHome ? 'home' : isPerClient ? 'client' : 'any',
  });
  return {
    listen: (address, port, take) => ports.listen(asked(address, port, false), take),
    bind: (address, port, isPerClient) => ports.bind(asked(address, port, isPerClient)),
    of: (further) => portsOf(kind, ports, further),
  };
}
