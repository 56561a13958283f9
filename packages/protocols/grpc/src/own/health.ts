import type { MethodIndex } from '../mock-index.js';
import { Code } from '../wire/status.js';
import type { OwnCall, OwnHandler } from './own-service.js';

const SERVICE = '/grpc.health.v1.Health/';

/** Answers `grpc.health.v1.Health`: what is known or mocked is serving. `undefined` for other methods. */
export function healthHandler(path: string, index: MethodIndex): ((call: OwnCall) => OwnHandler) | undefined {
  if (!path.startsWith(SERVICE)) return undefined;
  const { registry } = index;
  const isKnown = (service: string): boolean =>
    service === '' || registry.schema.services.has(service) || index.serves(service);
  switch (path.slice(SERVICE.length)) {
    case 'Check':
      return (call) => ({
        receive({ service }) {
          if (!isKnown(String(service)))
            return call.end(Code.NOT_FOUND, `unknown service ${String(service)}`);
          call.reply({ status: 'SERVING' });
          call.end(Code.OK);
        },
      });
    case 'List':
      return (call) => ({
        receive() {
          const names = ['', ...registry.schema.services];
          call.reply({ statuses: Object.fromEntries(names.map((name) => [name, { status: 'SERVING' }])) });
          call.end(Code.OK);
        },
      });
    case 'Watch':
      return (call) => {
        let stop: (() => void) | undefined;
        return {
          receive({ service }) {
            let last: string | undefined;
            const tell = (): void => {
              const status = isKnown(String(service)) ? 'SERVING' : 'SERVICE_UNKNOWN';
              if (status !== last) call.reply({ status });
              last = status;
            };
            stop = registry.onChange(tell);
            tell();
          },
          stop: () => stop?.(),
        };
      };
    default:
      return undefined;
  }
}
