import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { connectivityState } from '@grpc/grpc-js';
import { get, startHost } from './support/grpc-host.js';

const DETAILS = 'grpc-status-details-bin';

it('an overload tells grpc-js when to come again, in the bytes of a RetryInfo', async () => {
  const { host, add, users } = await startHost();
  const message = 'the service is overloaded';
  add({
    id: 'same',
    method: 'Users/Get',
    error: {
      ...{ code: 'UNAVAILABLE', message },
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.250s' }],
    },
  });
  const client = users;
  const mocked = await get(client);
  await host.incidents.start('grpc-unavailable', { retry_delay: '1250ms' });
  const faulted = await get(client);
  expect(faulted).toMatchObject({ code: 'UNAVAILABLE', message });
  expect(faulted.trailers.get(DETAILS)).toEqual(mocked.trailers.get(DETAILS));
  expect(faulted.trailers.get(DETAILS)).toHaveLength(1);
  await expect(host.incidents.start('grpc-unavailable', { retry_delay: 'soon' })).rejects.toThrow(
    '/retry_delay',
  );
});

it('a client that gets GOAWAY calls on', async () => {
  const { host, add, users } = await startHost();
  host.clock.freeze(true);
  add({ id: 'ada', method: 'Users/Get', response: { name: 'Ada' } });
  const client = users;
  expect((await get(client)).code).toBe('OK');
  const wasTold = (): Promise<void> =>
    eventually(() => client.getChannel().getConnectivityState(false) !== connectivityState.READY);
  await host.incidents.start('grpc-goaway');
  await wasTold();
  expect((await get(client)).code).toBe('OK');
  await host.clock.advance(5000);
  await wasTold();
  expect((await get(client)).code).toBe('OK');
});
