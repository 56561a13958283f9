import { expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import * as Sentry from '@sentry/node';

const backlot = useBacklot({ services: ['sentry'] });

it('tells of errors', async () => {
  Sentry.init({ dsn: backlot.env.SENTRY_DSN });
  const id = Sentry.captureException(new Error('too cold'));
  await backlot.host.kind('http').calls.wait('sentry:envelope', 1, 2000);
  expect(backlot.collection('sentry:events').get(id)).toMatchObject({
    exception: { values: [{ value: 'too cold' }] },
  });
});
