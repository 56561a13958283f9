import { expect, it } from '@jest/globals';
import { BacklotError, createHost, type ErrorCode, type Protocol } from '../src/index.js';
import { probe } from './support.js';

/** A kind whose start fails with a message. */
function failing(kind: string, message: string, code: ErrorCode = 'port_in_use'): Protocol {
  const create = (): object => ({
    start: () => Promise.reject(new BacklotError(code, message)),
    stop: () => Promise.resolve(),
  });
  return probe(kind, { more: { create } }).protocol;
}

const inUse = (place: string): string => `address already in use ${place}: choose another`;

it('one error names every port that is in use, and what else is wrong', async () => {
  const host = await createHost({
    protocols: [
      failing('one', inUse('localhost:1001')),
      probe('fine').protocol,
      failing('two', 'the certificate is gone', 'invalid'),
      failing('three', inUse('[::1]:1003')),
    ],
    settings: { one: { port: 1001 }, three: { host: '::1', port: 1003 } },
  });
  await expect(host.start()).rejects.toMatchObject({
    code: 'port_in_use',
    message:
      'address already in use localhost:1001 (one), [::1]:1003 (three): stop what listens there, or choose other ports (0 takes a free one); two: the certificate is gone',
  });
});

it('one failure is said as it is', async () => {
  const host = await createHost({
    protocols: [probe('fine').protocol, failing('one', inUse('localhost:1001'))],
    settings: { one: { port: 1001 } },
  });
  await expect(host.start()).rejects.toThrow(inUse('localhost:1001'));
});
